//! Errors for sizes that exist only at some values: they name the nearest ones that do.

/// Returns the nearest legal values on both sides of an illegal one, as the end of a sentence.
pub(super) fn nearest(value: i64, range: std::ops::RangeInclusive<usize>, legal: impl Fn(usize) -> bool) -> String {
    let (least, most) = (*range.start() as i64, *range.end() as i64);
    let inside = |value: i64| value.clamp(least, most) as usize;
    let below = (least as usize..=inside(value)).rev().find(|&size| legal(size));
    let above = (inside(value)..=most as usize).find(|&size| legal(size)).filter(|&size| Some(size) != below);
    match (below, above) {
        (Some(below), Some(above)) => format!("the nearest are {below} and {above}"),
        (Some(only), None) | (None, Some(only)) => format!("the nearest is {only}"),
        (None, None) => "there is none for the other parameters".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn neighbours_on_both_sides_are_named() {
        let odd = |size: usize| size % 2 == 1;
        assert_eq!(nearest(6, 3..=9, odd), "the nearest are 5 and 7");
        assert_eq!(nearest(-4, 3..=9, odd), "the nearest is 3");
        assert_eq!(nearest(i64::MAX, 3..=9, odd), "the nearest is 9");
        assert_eq!(nearest(2, 2..=2, odd), "there is none for the other parameters");
    }
}
