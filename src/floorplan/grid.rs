//! Cables of the grid models.

/// Constants of a grid of cabinets, in metres.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GridRules {
    /// Width of a cabinet: the distance to the next column.
    pub column: f64,
    /// Depth of a cabinet with its aisle: the distance to the next row.
    pub row: f64,
    /// Length of a cable within a cabinet.
    pub within: f64,
    /// Length that a cable between cabinets needs in addition to the distance between them.
    pub overhead: f64,
}

/// 0.6 m by 2.1 m, 2 m within a cabinet, 2 m at each end of a cable between cabinets (papers on DSN-F and Skywalk).
pub const GRID: GridRules = GridRules { column: 0.6, row: 2.1, within: 2.0, overhead: 4.0 };

/// The same grid with the lengths of the paper on Slim Fly: 1 m within a rack, 2 m of overhead for a global cable.
pub const SLIM_FLY: GridRules = GridRules { column: 0.6, row: 2.1, within: 1.0, overhead: 2.0 };

impl GridRules {
    /// Returns the length of a cable between cabinets that are `rows` rows and `columns` columns apart.
    pub fn length(&self, same_cabinet: bool, rows: f64, columns: f64) -> f64 {
        if same_cabinet { self.within } else { self.column * columns + self.row * rows + self.overhead }
    }
}
