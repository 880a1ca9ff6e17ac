//! `alba plot`.

use crate::arguments::Plot;
use crate::failure::Failure;
use crate::report;
use alba_plot::{Chart, Kind, chart};
use alba_table::WriteError;
use alba_table::{Output, Table};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(crate) fn plot(arguments: &Plot) -> Result<(), Failure> {
    let request = Chart {
        x: arguments.x.clone(),
        y: arguments.y.clone(),
        by: arguments.by.clone(),
        kind: match &arguments.heat {
            Some(column) => Kind::Heat(column.clone()),
            None if arguments.pareto => Kind::Pareto,
            None => Kind::Lines,
        },
        only: arguments.only.clone(),
        log_x: arguments.log_x,
        log_y: arguments.log_y,
        title: arguments.title.clone(),
    };
    let drawing = chart(&Table::read(&arguments.table)?, &request)?;
    let output = arguments.output.clone().unwrap_or_else(|| beside(&arguments.table, &request));
    let ending = output.extension().and_then(OsStr::to_str);
    if ending != Some("png") {
        write(arguments, &with_ending(&output, "svg"), drawing.svg().as_bytes())?;
    }
    if ending != Some("svg") {
        write(arguments, &with_ending(&output, "png"), &drawing.png()?)?;
    }
    Ok(())
}

fn write(arguments: &Plot, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), std::fs::create_dir_all);
    made.map_err(|source| WriteError::File { path: path.to_owned(), source })?;
    Output::File(path.to_owned()).write(|writer| writer.write_all(bytes).map_err(WriteError::Standard))?;
    if !arguments.quiet {
        report::note(&format!("wrote {}", path.display()));
    }
    Ok(())
}

/// `system.buffer` is no ending: only these two are.
fn with_ending(output: &Path, ending: &str) -> PathBuf {
    match output.extension().and_then(OsStr::to_str) {
        Some("svg" | "png") => output.to_owned(),
        _ => PathBuf::from(format!("{}.{ending}", output.display())),
    }
}

/// In the folder `figures` beside the table.
fn beside(table: &Path, request: &Chart) -> PathBuf {
    let key = |name: &String| name.rsplit('.').next().unwrap_or(name).to_owned();
    let ys = request.y.iter().map(key).collect::<Vec<_>>().join("-");
    let name = match &request.kind {
        Kind::Lines => format!("{ys}-against-{}", key(&request.x)),
        Kind::Pareto => format!("{ys}-against-{}-pareto", key(&request.x)),
        Kind::Heat(column) => format!("{}-over-{}-and-{ys}", key(column), key(&request.x)),
    };
    table.parent().unwrap_or(Path::new("")).join("figures").join(name)
}
