//! Constants after the name of a model: `packet:routing=amin,vcs=6`, `loggops:L=1us`.

use super::choice_error::ChoiceError;

/// Returns `true` if the text names this model, with or without constants.
pub(super) fn is_model(text: &str, name: &str) -> bool {
    text.split(':').next().is_some_and(|begin| begin.eq_ignore_ascii_case(name))
}

/// One constant as written.
pub(super) struct WrittenConstant<'a> {
    /// Name of the model.
    model: &'a str,
    /// Key and value, e.g. `vcs=6`.
    item: &'a str,
    /// One of the keys of the model.
    pub key: &'a str,
    /// Value; empty without an equals sign.
    pub value: &'a str,
}

impl WrittenConstant<'_> {
    /// Returns the error for a value that breaks a rule.
    pub fn wrong(&self, rule: impl Into<String>) -> ChoiceError {
        ChoiceError::wrong(self.model, self.item, rule)
    }
}

/// Returns the constants in their order. Each is a [`ChoiceError`] if its key is unknown, or set a second time.
pub(super) fn constants<'a>(
    model: &'a str,
    text: &'a str,
    keys: &'a [&str],
) -> impl Iterator<Item = Result<WrittenConstant<'a>, ChoiceError>> {
    let mut seen = Vec::new();
    text.split(',').map(str::trim).map(move |item| {
        let (key, value) = item.split_once('=').unwrap_or((item, ""));
        let constant = WrittenConstant { model, item, key: key.trim(), value: value.trim() };
        let key = constant.key;
        if !keys.contains(&key) {
            return Err(ChoiceError::unknown(model, key, keys));
        }
        if seen.contains(&key) {
            return Err(constant.wrong(format!("sets {key} a second time")));
        }
        seen.push(key);
        Ok(constant)
    })
}
