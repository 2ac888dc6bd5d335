//! Families of topologies for `--help`: in groups, in 80 columns.

use mopsim::report::wrap::broken;
use mopsim::topology::presets::PRESETS;
use mopsim::topology::registry::{Absent, FAMILIES, Family, GROUPS, Kind};
use std::fmt::Write;

/// The text below the options of `mopsim topology`.
pub fn help() -> String {
    let mut text = String::from(
        "Families (parameter names may be left out if the values are in the order shown;\n\
         parameters in brackets may be left out; `-` and `_` are interchangeable):\n",
    );
    let presets = ("Presets, short for one of these families", PRESETS[0].family.name);
    let groups: Vec<_> = GROUPS.iter().copied().chain([presets]).collect();
    let heading = |family: &Family| groups.iter().find(|(_, first)| *first == family.name).map(|(heading, _)| *heading);
    for family in FAMILIES.iter().chain(PRESETS.iter().map(|preset| &preset.family)) {
        if let Some(heading) = heading(family) {
            let _ = writeln!(text, "\n{heading}:");
        }
        let parameters: Vec<String> = family
            .parameters
            .iter()
            .map(|parameter| {
                let shape = match parameter.kind {
                    Kind::Dimensions => "=AxB",
                    Kind::Integers => "=[..]",
                    _ => "",
                };
                let written = format!("{}{shape}", parameter.name);
                if parameter.absent == Absent::Refused { written } else { format!("[{written}]") }
            })
            .collect();
        let head = format!("  {}:{}", family.name, parameters.join(","));
        let column = 34;
        if head.len() < column {
            let _ = write!(text, "{head:column$}");
        } else {
            let _ = write!(text, "{head}\n{:column$}", "");
        }
        let _ = writeln!(text, "{}", broken(family.help, column, column));
    }
    let others = FAMILIES.iter().flat_map(|family| family.aliases.iter().map(move |alias| (alias, family.name)));
    let others: Vec<String> = others.map(|(alias, name)| format!("{alias} ({name})")).collect();
    let _ = writeln!(text, "\nOther names:\n  {}", broken(&others.join(", "), 2, 2));
    text.push_str(
        "\nExamples:\n  \
         mopsim topology torus:8x8 random:n=64,d=6,seed=1 imase-itoh:n=64,d=6\n  \
         mopsim topology torus:8x8 --route 0 36 --routing dimension-order\n  \
         mopsim topology torus:4x8x8 --switches-per-cabinet 4 --floor-svg floor.svg\n  \
         mopsim topology --fit hosts=4096,radix=36\n\n\
         A price list is a TOML file; data/prices/equality.toml is the one built in.",
    );
    text
}
