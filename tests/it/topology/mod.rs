//! Families, metrics, floor plans and costs against laws and reference values.

mod formulas;
mod independent;
mod large;
mod laws;
mod layout_cost;
mod properties;
mod reference;
