//! Loads that most hosts can send and some cannot, and rules that leave a full cable or do not.

use crate::support::cli::{Folder, number};

/// With dimension order, `k - 1` flows of a transposition share a cable of a mesh of `k` by `k` switches, and the other
/// hosts send all they have: in the mean, 97 % of a load above the limit is accepted, too.
#[test]
fn no_more_is_carried_than_the_fullest_cable_permits() {
    let folder = Folder::new();
    // 3 % of what the cable carries may gather, some more by chance, which short runs do not tell apart; the search is
    // exact to 1 %.
    for (k, measure, above) in [(4_u32, "3000", 1.06), (8, "3000", 1.09), (8, "12000", 1.04)] {
        let network = format!("mesh:{k}x{k}");
        let ask = ["packets", &network, "--pattern", "transpose", "--vcs", "8", "--load", "0.05", "--measure", measure];
        let (carried, limit) = (number(&folder.json(&ask)["series"][0], "saturation"), 1.0 / f64::from(k - 1));
        assert!((0.97 * limit..above * limit).contains(&carried), "{network}: {carried}, and the limit is {limit}");
    }
}

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
        &["`dragonfly-ugal:x`, and a number must follow the colon"],
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
    folder.refuse(&["packets", "ring:4", "--routing", "amin:x"], 2, &["`amin:x`, and the only variant is `random`"]);
}
