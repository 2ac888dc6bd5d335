//! Families, metrics, floor plans and costs against laws and reference values.

mod formulas;
mod independent;
mod layout_cost;
mod properties;
mod reference;
