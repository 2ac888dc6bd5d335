//! Defaults of a site: a config file, and variables of the environment with the same keys.
//!
//! They rank below flags and the files of a study, and above the table of defaults. Reports name each one that they use
//! ([`mopsim::report::site`]), because a number without its source is a silent default.

use super::failure::Failure;
use super::options::MOST_THREADS;
use super::{memory, options, topology};
use mopsim::cost::PriceList;
use mopsim::platform::PlatformParameters;
use mopsim::platform::parameters::Duplex;
use mopsim::platform::units::{Bandwidth, HostLinkBandwidth, Seconds, Speed};
use mopsim::report::site::SiteDefault;
use mopsim::similar::is_slip;
use mopsim::study::choice::{CollectiveTable, ModelChoice};
use mopsim::study::toml_file::{self, PathStep};
use mopsim::study::toml_words;
use mopsim::user_error::UserError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Keys of the file; a variable has the prefix and the key in capitals.
const KEYS: [&str; 14] = [
    "link_bandwidth",
    "link_latency",
    "switch_delay",
    "cable_delay",
    "host_link_bandwidth",
    "host_link_latency",
    "host_speed",
    "cores",
    "duplex",
    "model",
    "collectives",
    "prices",
    "memory",
    "threads",
];

/// Prefix of the variables.
const PREFIX: &str = "MOPSIM_";

/// Variable with the name of the config file; no file is read if it is empty.
const FILE: &str = "MOPSIM_CONFIG";

/// Values as written, in the file or in one variable.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WrittenSite {
    link_bandwidth: Option<Bandwidth>,
    link_latency: Option<Seconds>,
    switch_delay: Option<Seconds>,
    cable_delay: Option<Seconds>,
    host_link_bandwidth: Option<HostLinkBandwidth>,
    host_link_latency: Option<Seconds>,
    host_speed: Option<Speed>,
    cores: Option<u32>,
    duplex: Option<Duplex>,
    model: Option<String>,
    collectives: Option<String>,
    prices: Option<PathBuf>,
    memory: Option<String>,
    threads: Option<usize>,
}

/// Defaults of a site, checked; all are missing where the site has none.
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// Values as written, with their sources.
    values: Vec<SiteDefault>,
    /// Config file in effect.
    pub file: Option<PathBuf>,
    /// Speeds and delays.
    pub parameters: PlatformParameters,
    /// Network model and table of collectives.
    pub model: ModelChoice,
    /// Price list.
    pub prices: Option<PathBuf>,
    /// Memory that a network and the process may take, in bytes.
    pub memory: Option<u64>,
    /// Number of threads.
    pub threads: Option<usize>,
}

impl Site {
    /// Reads the config file and the environment.
    ///
    /// # Errors
    /// Bad input for an unknown key or a bad value, with its place or the name of the variable; trouble with files for a
    /// file that cannot be read.
    pub fn read() -> Result<Self, Failure> {
        let mut site = Self::default();
        if let Some(file) = config_file() {
            site.read_file(file)?;
        }
        site.read_environment()?;
        Ok(site)
    }

    fn read_file(&mut self, file: PathBuf) -> Result<(), Failure> {
        let help = format!("the keys are {}; --no-config ignores the file", KEYS.join(", "));
        let (written, text): (WrittenSite, String) =
            toml_file::read_with_text(&file).map_err(|error| match error.is_io() {
                true => Failure::unreadable(&error, format!("{FILE} names the config file; --no-config ignores it")),
                false => Failure::input(&error, help),
            })?;
        let table: BTreeMap<String, toml::Value> = toml_file::parse(&file, &text).map_err(|e| Failure::input(e, ""))?;
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        self.take(written, &folder).map_err(|(key, failure)| {
            let place =
                toml_file::place_of_value(&text, &[PathStep::Key(key)]).map_or_else(String::new, |at| format!(":{at}"));
            failure.about(&format!("{}{place}", file.display()))
        })?;
        for key in KEYS {
            if let Some(value) = table.get(key) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                self.note(key, value, file.display().to_string());
            }
        }
        self.file = Some(file);
        Ok(())
    }

    fn read_environment(&mut self) -> Result<(), Failure> {
        for (name, value) in env::vars_os() {
            let Some(key) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
            let (name, key) = (format!("{PREFIX}{key}"), key.to_lowercase());
            if value.is_empty() || name == FILE {
                continue;
            }
            let Some(key) = KEYS.into_iter().find(|known| *known == key) else {
                // Others are for recordings and for tests; a slip of the pen is not.
                if let Some(near) = KEYS.into_iter().find(|known| is_slip(&key, known)) {
                    let message =
                        format!("{name}: there is no such setting; did you mean {PREFIX}{}?", near.to_uppercase());
                    return Err(Failure::input(message, "correct or unset it; --no-config ignores all of them"));
                }
                continue;
            };
            let wrong = |error: String| {
                let message = format!("{name}=`{}`: {error}", value.to_string_lossy());
                Failure::input(message, "correct or unset it; --no-config ignores all of them")
            };
            let text = value.to_str().ok_or_else(|| wrong("it is not UTF-8".to_owned()))?;
            let is_count = matches!(key, "cores" | "threads");
            let typed = match text.trim().parse::<i64>().ok().filter(|_| is_count) {
                Some(count) => toml::Value::Integer(count),
                None if is_count => return Err(wrong("it must be a whole number, 0 or more".to_owned())),
                None => toml::Value::String(text.to_owned()),
            };
            let table: toml::Table = [(key.to_owned(), typed)].into_iter().collect();
            let written =
                table.try_into().map_err(|error: toml::de::Error| wrong(toml_words::in_words(error.message())))?;
            self.take(written, Path::new("")).map_err(|(_, failure)| failure.about(&name))?;
            self.note(key, text.to_owned(), name);
        }
        // In the order of the keys, whatever that of the environment is.
        let place = |key| KEYS.iter().position(|known| *known == key);
        self.values.sort_by_key(|default| place(default.key));
        Ok(())
    }

    /// Keeps a value with its source; an earlier one of that key is replaced.
    fn note(&mut self, key: &'static str, value: String, source: String) {
        self.values.retain(|default| default.key != key);
        self.values.push(SiteDefault { key, value, source });
    }

    /// Checks values and takes them in; an error has the key.
    fn take(&mut self, written: WrittenSite, folder: &Path) -> Result<(), (&'static str, Failure)> {
        let parameters = PlatformParameters {
            link_bandwidth: written.link_bandwidth,
            link_latency: written.link_latency,
            switch_delay: written.switch_delay,
            cable_delay: written.cable_delay,
            host_link_bandwidth: written.host_link_bandwidth,
            host_link_latency: written.host_link_latency,
            host_speed: written.host_speed,
            cores: written.cores,
            duplex: written.duplex,
            ..PlatformParameters::default()
        };
        self.parameters = parameters.over(&self.parameters);
        if self.parameters.cores == Some(0) {
            return Err(("cores", Failure::input("cores = 0: a host must have at least one core", "give 1 or more")));
        }
        if let Some(name) = written.model {
            let file = folder.join(&name);
            let name = if file.is_file() { file.display().to_string() } else { name };
            let collectives = self.model.collectives.take();
            self.model = options::named_model(&name).map_err(|failure| ("model", failure))?;
            self.model.collectives = self.model.collectives.take().or(collectives);
            // A file of constants may leave the model open.
            let built = self.model.build().map_err(|error| ("model", error.into()))?;
            self.model.network_model.get_or_insert(built.1.network_model);
        }
        if let Some(table) = written.collectives {
            let table = CollectiveTable::in_folder(table, folder);
            CollectiveTable::find(&table).map_err(|error| ("collectives", error.into()))?;
            self.model.collectives = Some(table);
        }
        if let Some(file) = written.prices {
            self.prices = Some(folder.join(file));
        }
        if let Some(size) = written.memory {
            let read = |rule| ("memory", Failure::input(format!("memory `{size}`: {rule}"), "write for example 8GB"));
            self.memory = Some(memory::size(&size).map_err(read)?);
        }
        if let Some(threads) = written.threads.filter(|threads| *threads > MOST_THREADS) {
            let message = format!("threads = {threads} is not from 0 to {MOST_THREADS}");
            return Err(("threads", Failure::input(message, "0 stands for one per core")));
        }
        self.threads = written.threads.or(self.threads);
        Ok(())
    }

    /// Returns the defaults with these keys, as a report names them.
    pub fn used(&self, keys: &[&str]) -> Vec<SiteDefault> {
        self.values.iter().filter(|default| keys.contains(&default.key)).cloned().collect()
    }

    /// Returns model choices with those of the site beneath.
    pub fn beneath(&self, choice: ModelChoice) -> ModelChoice {
        ModelChoice { site: Some(Box::new(self.model.clone())), ..choice }
    }

    /// Returns all values with their sources.
    pub fn values(&self) -> &[SiteDefault] {
        &self.values
    }

    /// Reads the price list, if the site has one.
    ///
    /// # Errors
    /// [`Failure`] that names the source of the file.
    pub fn price_list(&self) -> Result<Option<PriceList>, Failure> {
        let source = || self.used(&["prices"]).first().map_or_else(String::new, |default| default.source.clone());
        self.prices.as_deref().map(topology::prices).transpose().map_err(|failure| failure.about(&source()))
    }
}

/// Returns the variables that are set and on which results depend: the config file, and all keys but those of resources.
pub fn variables() -> Vec<(String, OsString)> {
    let keys = KEYS.into_iter().filter(|key| !["memory", "threads"].contains(key));
    let names = [FILE.to_owned()].into_iter().chain(keys.map(|key| format!("{PREFIX}{}", key.to_uppercase())));
    names.filter_map(|name| env::var_os(&name).map(|value| (name, value))).collect()
}

/// Returns the config file to read: the one that the variable names, or the one at the usual place if it is there.
pub fn config_file() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(named) = env::var_os(FILE) {
        return Some(PathBuf::from(named)).filter(|file| !file.as_os_str().is_empty());
    }
    let folder = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
    Some(folder.join("mopsim").join("config.toml")).filter(|file| file.is_file())
}
