//! `mopsim model`: times of single messages in network models.

use super::args::{ModelVerb, Output};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::{options, print_report};
use mopsim::network::model::NetworkModel;
use mopsim::platform::parameters::PlatformParameters;
use mopsim::report::model::{self, Curve, ModelCurve, ModelLink};
use mopsim::study::ping;
use mopsim::user_error::UserError;
use std::path::PathBuf;

pub fn run(arguments: &ModelVerb, output: &Output) -> Result<(), Failure> {
    let names = match &arguments.models[..] {
        // These models depend on the link; loggops has constants of its own instead.
        [] => NetworkModel::NAMES
            .iter()
            .filter(|name| !["loggops", "packet"].contains(*name))
            .map(|name| (*name).to_owned())
            .collect(),
        given => given.to_vec(),
    };
    Outputs::default()
        .report("--svg", arguments.svg.as_deref(), arguments.force)
        .check(|| names.iter().map(PathBuf::from).filter(|file| file.is_file()).collect::<Vec<_>>())?;
    let parameters = PlatformParameters {
        link_bandwidth: options::parse("link-bandwidth", arguments.link_bandwidth.as_deref())?
            .or(output.site.parameters.link_bandwidth),
        link_latency: options::parse("link-latency", Some(&arguments.link_latency))?,
        ..PlatformParameters::default()
    };
    let checked = parameters.check()?;
    let link = ModelLink { bandwidth: checked.link_bandwidth.value(), latency: checked.link_latency.value() };
    let platform = ping::two_hosts(&parameters)?;
    let sizes = model::sizes();
    let mut curves = Vec::with_capacity(names.len());
    for name in names {
        let (built, description) = options::named_model(&name)?.build()?;
        let built = ping::with_medium(built, &platform)
            .map_err(|error| Failure::input(format!("{name}: {error}"), error.help()))?;
        let time = |&bytes: &u32| ping::one_way(&platform, &built, bytes).map(|seconds| (bytes, seconds));
        let points = sizes.iter().map(time).collect::<Result<_, _>>();
        let points = points.map_err(|error| Failure::input(format!("{name}: {error}"), error.help()))?;
        curves.push(ModelCurve { curve: Curve { name, points }, description });
    }
    if let Some(file) = &arguments.svg {
        files::report(file, |out| {
            let curves: Vec<Curve> = curves.iter().map(|model| model.curve.clone()).collect();
            out.write_all(model::svg(link, &curves).as_bytes())
        })?;
    }
    let from_site: &[&str] = if arguments.link_bandwidth.is_some() { &[] } else { &["link_bandwidth"] };
    print_report(output, from_site, |out| output.format.sheet(&model::sheet(link, &curves), out))
}
