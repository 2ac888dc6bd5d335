//! The trees of Open MPI's tuned module, along which segments of a message flow, and the size of those segments.
//!
//! Members are numbered from the root of the tree, which is number 0 except in [`Tree::in_order`].

/// Neighbours of one member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tree {
    /// `None` for the root.
    pub parent: Option<u32>,
    /// In the order in which they are served.
    pub children: Vec<u32>,
}

/// Largest number of chains (SimGrid 3.32, `coll_tuned_topo.hpp`: largest fan-out).
const MOST_CHAINS: u32 = 32;

impl Tree {
    /// Returns a single chain, 0 to 1 to 2 ...
    pub fn chain(v: u32, size: u32) -> Self {
        Self { parent: v.checked_sub(1), children: (v + 1 < size).then_some(v + 1).into_iter().collect() }
    }

    /// Returns several chains that start at the root, as equal in length as possible; the longer ones come first.
    pub fn chains(v: u32, size: u32, chains: u32) -> Self {
        let others = size.saturating_sub(1);
        let chains = chains.clamp(1, MOST_CHAINS).min(others.max(1));
        let (short, longer) = (others / chains, others % chains);
        let head = |chain: u32| 1 + chain * short + chain.min(longer);
        if v == 0 {
            let heads = (0..chains).map(head).filter(|&head| head < size);
            return Self { parent: None, children: heads.collect() };
        }
        let is_head = |v: u32| (0..chains).any(|chain| head(chain) == v);
        let next = v + 1;
        Self {
            parent: Some(if is_head(v) { 0 } else { v - 1 }),
            children: (next < size && !is_head(next)).then_some(next).into_iter().collect(),
        }
    }

    /// Returns the tree of degree 2 whose levels are dealt out in turn: the children of `v` are `v + w` and `v + 2w`,
    /// where `w` is the width of its level.
    pub fn binary(v: u32, size: u32) -> Self {
        let width = |level: u32| 1u64 << level;
        let level = (u64::from(v) + 1).ilog2();
        let own = u64::from(v);
        let children = (1..=2).map(|i| own + i * width(level)).filter(|&child| child < u64::from(size));
        let parent = (level > 0).then(|| {
            // Going up subtracts the width of the level above until the number is on that level.
            let above = width(level - 1);
            let mut parent = own;
            while parent >= width(level) - 1 {
                parent -= above;
            }
            parent as u32
        });
        Self { parent, children: children.map(|child| child as u32).collect() }
    }

    /// Returns the binomial tree whose subtrees are ranges of numbers: the children of `v` are `v + 1`, `v + 2`,
    /// `v + 4`, ...
    pub fn binomial(v: u32, size: u32) -> Self {
        let lowest = if v == 0 { 32 } else { v.trailing_zeros() };
        let child = |bit: u32| v.checked_add(1 << bit).filter(|&child| child < size);
        Self { parent: (v > 0).then(|| v & (v - 1)), children: (0..lowest).map_while(child).collect() }
    }

    /// Returns the binary tree that keeps the order of ranks: the last rank is the root, its first child the rank
    /// before it, its second child the last rank of the first half; and so on in both parts.
    pub fn in_order(me: u32, size: u32) -> Self {
        let (mut start, mut end) = (0, size);
        let mut parent = None;
        loop {
            // The root of the range `start..end` is its last member.
            let root = end - 1;
            let length = end - start;
            let left = (length > 1).then(|| root - 1);
            let half = length / 2;
            let right = (length > 2).then(|| start + half - 1);
            if me == root {
                return Self { parent, children: left.into_iter().chain(right).collect() };
            }
            parent = Some(root);
            match right {
                Some(right) if me <= right => end = right + 1,
                // Without a second child the first one has all the rest.
                _ => {
                    start = if right.is_some() { start + half } else { start };
                    end = root;
                }
            }
        }
    }
}

/// Returns the elements of a segment of about `segment` bytes; the whole vector if it is no longer than that, or if an
/// element is longer. Rounded to the nearest element (SimGrid 3.32, `coll_tuned_topo.hpp`).
pub(super) fn segment_count(segment: u64, element: u64, count: u64) -> u64 {
    if segment < element || segment >= element.saturating_mul(count) || element == 0 {
        return count;
    }
    segment / element + u64::from(segment % element > element / 2)
}

/// Vector cut into segments of equal length, the last one shorter.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    count: u64,
    segment: u64,
    element: u64,
}

impl Cut {
    /// Cuts `count` elements of `element` bytes into segments of about `segment` bytes.
    pub fn new(count: u64, element: u64, segment: u64) -> Self {
        Self::of(count, element, segment_count(segment, element, count))
    }

    /// Cuts `count` elements of `element` bytes into segments of `segment` elements.
    pub fn of(count: u64, element: u64, segment: u64) -> Self {
        Self { count, segment: segment.max(1), element }
    }

    /// Returns the bytes of all segments.
    pub fn total(&self) -> u64 {
        self.count.saturating_mul(self.element)
    }

    /// Returns the number of segments; 0 for an empty vector.
    pub fn len(&self) -> u64 {
        self.count.div_ceil(self.segment)
    }

    /// Returns the bytes of a segment.
    pub fn bytes(&self, index: u64) -> u64 {
        self.segment.min(self.count.saturating_sub(index * self.segment)).saturating_mul(self.element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every member is a child exactly once, and parents and children agree.
    fn is_a_tree(root: u32, size: u32, tree: impl Fn(u32) -> Tree) {
        let mut parents = vec![None; size as usize];
        for v in 0..size {
            for child in tree(v).children {
                assert_eq!(parents[child as usize].replace(v), None, "{child} of {size} has two parents");
            }
        }
        for v in 0..size {
            assert_eq!(parents[v as usize], tree(v).parent, "parent of {v} of {size}");
            assert_eq!(tree(v).parent.is_none(), v == root, "root of {size}");
        }
    }

    #[test]
    fn all_are_trees() {
        for size in 1..70 {
            is_a_tree(0, size, |v| Tree::chain(v, size));
            is_a_tree(0, size, |v| Tree::binary(v, size));
            is_a_tree(0, size, |v| Tree::binomial(v, size));
            is_a_tree(size - 1, size, |v| Tree::in_order(v, size));
            for chains in 1..=size {
                is_a_tree(0, size, |v| Tree::chains(v, size, chains));
            }
        }
    }

    #[test]
    fn shapes() {
        // Two chains of three and two: 1-2-3 and 4-5.
        assert_eq!(Tree::chains(0, 6, 2).children, [1, 4]);
        assert_eq!(Tree::chains(3, 6, 2), Tree { parent: Some(2), children: vec![] });
        // 0 has 1 and 2; 1 has 3 and 5, 2 has 4 and 6.
        assert_eq!(Tree::binary(1, 7).children, [3, 5]);
        assert_eq!(Tree::binary(6, 7).parent, Some(2));
        // The last of 7 has 5 and 2; 5 has the ranks above 2.
        assert_eq!(Tree::in_order(6, 7).children, [5, 2]);
        assert_eq!(Tree::in_order(5, 7).children, [4, 3]);
        assert_eq!(Tree::in_order(2, 7).children, [1, 0]);
    }

    #[test]
    fn segments_are_rounded_to_elements() {
        // 1000 bytes hold 62.5 elements of 16 bytes: not more than half, so 62. Of 24 bytes 41.67: 42.
        assert_eq!(segment_count(1000, 16, 100), 62);
        assert_eq!(segment_count(1000, 24, 100), 42);
        assert_eq!(segment_count(1000, 10, 100), 100);
        assert_eq!(segment_count(0, 8, 100), 100);
        let cut = Cut::new(100, 16, 1000);
        assert_eq!((cut.len(), cut.bytes(0), cut.bytes(1)), (2, 992, 608));
        assert_eq!(Cut::new(0, 8, 1000).len(), 0);
    }
}
