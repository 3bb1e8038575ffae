//! Draws mistakes for a terminal: the line, underlined, with what is wrong and what to do. It reads no file: a
//! [`Mistake`] carries its excerpt.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::location::one_line;
use super::mistake::{Mistake, Severity};

/// Draws mistakes with an empty line between them. `width` is the terminal's in columns.
#[must_use]
pub fn render(mistakes: &[Mistake], color: bool, width: usize) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.term_width(width.clamp(40, 400));
    mistakes.iter().map(|mistake| one(&renderer, mistake) + "\n").collect::<Vec<_>>().join("\n")
}

fn one(renderer: &Renderer, mistake: &Mistake) -> String {
    let level = match mistake.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(mistake.message.as_str());
    let hint = (!mistake.hint.is_empty()).then(|| Level::HELP.with_name("hint"));
    let Some(place) = &mistake.place else {
        // Give each its own title: otherwise a margin is drawn although there is no source line.
        let titles = [Some(title), hint.map(|hint| hint.primary_title(mistake.hint.as_str()))];
        let lines = titles.into_iter().flatten().map(|title| renderer.render(&[Group::with_title(title)]));
        return lines.collect::<Vec<_>>().join("\n");
    };
    let hint = hint.map(|hint| hint.message(mistake.hint.as_str()));
    let file = one_line(&mistake.file);
    let snippet = Snippet::source(place.excerpt.as_str())
        .path(file.as_str())
        .line_start(place.line)
        .annotation(AnnotationKind::Primary.span(place.underline.clone()));
    let rendered = renderer.render(&[title.element(snippet).elements(hint)]);
    if place.excerpt_column == 1 {
        return rendered;
    }
    // The renderer counts columns from the start of the excerpt, which for a cut line is not the start of the line.
    let counted = place.column + 1 - place.excerpt_column;
    let (wrong, right) =
        (format!("{file}:{}:{counted}", place.line), format!("{file}:{}:{}", place.line, place.column));
    rendered.replacen(&wrong, &right, 1)
}
