//! Adaptive rules that leave a full cable, and those that do not.

use crate::support::cli::{Folder, number};

/// All hosts of a group send to the next one, so minimal routes share one of the eight cables between groups.
#[test]
fn ugal_leaves_the_full_cable_of_a_dragonfly() {
    let folder = Folder::new();
    let carried = |rule: &str| {
        let ask = ["packets", "dragonfly:a=4,h=2,p=2", "--pattern", "next_group", "--load", "0.02", "--routing", rule];
        number(&folder.json(&ask)["series"][0], "saturation")
    };
    let minimal = carried("dragonfly*3");
    assert!((0.11..0.13).contains(&minimal), "{minimal}");
    assert!(carried("dragonfly-ugal*3") > 2.0 * minimal);
    // Biased towards direct paths, no load of a buffer reaches it.
    assert!((carried("dragonfly-ugal:1000*3") / minimal - 1.0).abs() < 0.05);
    folder.refuse(
        &["packets", "dragonfly:a=4,h=2,p=2", "--routing", "dragonfly-ugal:x"],
        2,
        &["`dragonfly-ugal:x`, but a number must follow the colon"],
    );
}

/// In a tree with little traffic nearly all loads are equal.
#[test]
fn any_of_equal_cables_is_taken() {
    let folder = Folder::new();
    let busiest = |rule: &str| {
        let ask =
            ["packets", "kary_ntree:4,2", "--load", "0.05", "--measure", "20000", "--no-saturation", "--routing", rule];
        let json = folder.json(&ask);
        let point = &json["points"][0];
        assert_eq!(number(point, "hops_max"), 2.0);
        number(point, "cable_load_max")
    };
    let (lowest, any) = (busiest("amin"), busiest("amin:random"));
    // Twelve of 16 destinations of each host are behind other leaves, and the uplinks of a leaf are as many as its hosts.
    assert!(lowest > 0.08, "{lowest}");
    assert!(any < 0.05, "{any}");
    folder.refuse(&["packets", "ring:4", "--routing", "amin:x"], 2, &["`amin:x`, but the only variant is `random`"]);
}
