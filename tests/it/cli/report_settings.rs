//! The HTML report of studies with several settings and many networks.

use crate::support::cli::Folder;
use std::collections::BTreeSet;

/// A study of `networks` rings under two platforms and two mappings.
fn page(networks: usize, flags: &[&str]) -> String {
    let mut trace = String::new();
    for rank in 0..8 {
        let partner = (rank + 4) % 8;
        trace.push_str(&format!("{rank} irecv {partner} 0 100000 6\n{rank} send {partner} 0 100000 6\n"));
        trace.push_str(&format!("{rank} wait {partner} {rank} 0\n{rank} compute 1e6\n"));
    }
    let folder = Folder::with_trace(&trace);
    let mut study = "title = 'x'\nmappings = ['block', 'bisection']\nbudget = { dollars = 1e6 }\n".to_owned();
    for n in 0..networks {
        study += &format!("[[networks]]\nname = 'ring {n}'\ntopology = 'ring:{}'\n", 8 + n);
    }
    study += "[[platforms]]\nname = '40G'\n[[platforms]]\nname = '100G'\n\
        parameters = { link_bandwidth = '100 Gbit/s' }\n[[workloads]]\ntrace = 't.ti'\n";
    folder.write("s.toml", study);
    folder.output(&[&["compare", "s.toml", "--html", "r.html", "-q"], flags].concat());
    folder.read("r.html")
}

/// The texts between two marks.
fn between<'a>(page: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    page.split(begin).skip(1).filter_map(|rest| rest.split_once(end).map(|(text, _)| text)).collect()
}

#[test]
fn twenty_networks_have_a_letter_and_a_fill_each_in_all_settings() {
    let page = page(20, &[]);
    // Of the first legend: one entry for each network, not for each network in each setting.
    let legend = between(&page, "<ul class=\"key\" data-view=\"key\">", "</ul>")[0];
    let fills: BTreeSet<&str> = between(legend, "fill=\"url(#", ")\"").into_iter().collect();
    let letters: BTreeSet<&str> = between(legend, "<b>", "</b>").into_iter().collect();
    assert_eq!((fills.len(), letters.len()), (20, 20));
    for fill in &fills {
        assert!(page.contains(&format!("<pattern id=\"{fill}\"")), "{fill}");
    }
    // A chart for each of four settings, with these fills and letters and no others.
    for setting in ["bars", "bars-2", "bars-3", "bars-4"] {
        let chart = between(&page, &format!("aria-labelledby=\"{setting}-t {setting}-d\">"), "</svg>")[0];
        let own: BTreeSet<&str> = between(chart, "fill=\"url(#", ")\"").into_iter().collect();
        assert_eq!(own, fills, "{setting}");
        let own: BTreeSet<&str> = between(chart, "class=\"axis middle\">", "</text>").into_iter().collect();
        assert_eq!(own, letters, "{setting}");
    }
    // Where two columns have to be told apart, the number of the setting is behind the letter.
    assert!(page.contains("ring 19 [100G, bisection] (T4)") || page.contains(">T4</"), "no T4");
    for heading in ["1: 40G, block", "2: 40G, bisection", "3: 100G, block", "4: 100G, bisection"] {
        assert!(page.contains(heading), "{heading}");
    }
    assert!(page.contains("Across settings: geometric mean relative to ring 0 [40G, block]"));
    // What is assumed of the platforms, where a reader sees it.
    let platforms = between(&page, "<p class=\"platform\">", "</p>");
    assert!(platforms.len() == 1 && platforms[0].starts_with("Platform: links 100 Gbit&#x2f;s, "), "{platforms:?}");
}

#[test]
fn the_box_on_duplex_is_there_only_where_something_is_shared_or_one_way() {
    assert!(!page(2, &[]).contains("mind the duplex"));
    assert!(page(2, &["--duplex", "shared"]).contains("mind the duplex"));
    assert!(page(2, &["--topology", "random_directed:n=8,d=3,seed=1"]).contains("mind the duplex"));
}

#[test]
fn sensitivity_is_a_table_of_the_report() {
    let page = page(2, &["--sensitivity"]);
    let table = between(&page, "<table class=\"sensitivity\" data-view=\"sensitivity\">", "</table>")[0];
    for row in ["as stated", "routing: ecmp", "mapping: random", "bandwidth -20 %", "model: smpi"] {
        assert!(table.contains(&format!("<th scope=\"row\">{row}</th>")), "{row}: {table}");
    }
}
