//! Prints what is known of a source: `cargo run -p cute-analysis --example show_values FILE [FACT...]`.

use cute_analysis::{Alone, Options, SourceFile, analyse};
use tree_sitter_cute::{Budget, Host, Syntax};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: show_values FILE [FACT...]")?;
    let text = std::fs::read_to_string(&path)?;
    let mut options = Options::default();
    for fact in args {
        options.assume.push(fact.parse()?);
    }
    let syntax = Syntax::parse(Host::CudaCpp, &text, None, Budget::unlimited())?;
    let file = SourceFile::analysed(&path, text.as_str(), syntax.lower(&text));
    let start = std::time::Instant::now();
    let analysis = analyse(&file, &Alone, &options);
    let took = start.elapsed();
    for fact in &analysis.facts {
        let line = text[..fact.name_span.start].matches('\n').count() + 1;
        let reason = fact
            .reason()
            .map(|reason| format!("  [{reason}]"))
            .unwrap_or_default();
        println!(
            "{line}: {} {} ({}) {} = {}{reason}  {}",
            fact.role.name(),
            fact.name,
            fact.function.as_deref().unwrap_or("-"),
            fact.kind().name(),
            fact.value,
            fact.instance.as_deref().unwrap_or(""),
        );
    }
    for finding in &analysis.findings {
        let line = text[..finding.span.start].matches('\n').count() + 1;
        println!(
            "{line}: {}[{}]: {}",
            finding.severity.name(),
            finding.rule,
            finding.message
        );
        for remedy in &finding.remedies {
            println!("    remedy: {}", remedy.title);
        }
    }
    eprintln!(
        "{} facts, {} mentions, {took:?}",
        analysis.facts.len(),
        analysis.mentions().len()
    );
    Ok(())
}
