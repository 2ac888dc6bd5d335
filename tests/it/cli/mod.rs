//! The commands as users run them.

mod bad_input;
mod buyer;
mod collectives;
mod compare;
mod defaults;
mod design;
mod docs_examples;
mod export;
mod failures;
mod flags;
mod model;
mod outputs;
mod packet_model;
mod replay;
mod report_html;
mod report_settings;
mod routing;
mod shell;
mod simgrid_page;
mod snapshots;
mod study;
mod study_resume;
mod throughput;
mod topology;
mod trace;
mod workload;
