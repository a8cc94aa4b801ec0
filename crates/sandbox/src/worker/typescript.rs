//! Makes JavaScript of TypeScript: what is there for the compiler alone becomes blanks, so that every other character
//! stays in its line and column. What would have to become other code, such as an enum, is refused.

mod blanks;

use blanks::{Blanks, ends_line};
use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::scope::ScopeFlags;
use std::ops::Range;

/// A script is the body of an async function.
const HEAD: &str = "async function script() {\n";
const TAIL: &str = "\n}";

const PROPERTY: &str =
    "a parameter that is a property too would have to become other code; assign it in the constructor";
const AHEAD: &str = "a type before its expression must stand in the same line; write `as` behind it";
const HIDDEN: &str =
    "what stands behind this type would begin a block or a declaration without it; put brackets around it";

/// Deeper brackets are left to the engine, which has an end for them.
const DEEPEST: usize = 400;

/// What a script is, read as TypeScript.
pub(super) enum Reading {
    /// Nothing stands there for the compiler alone, as far as was looked.
    Plain,
    /// JavaScript is left.
    Erased(String),
    /// It is TypeScript, with something in it that cannot just go.
    Refused(Wrong),
    /// It cannot be read as that either.
    Unread(Wrong),
}

/// What is wrong with a script, and where.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) message: String,
    /// Line and column, from 1, in characters.
    pub(super) place: (u32, u32),
}

/// Reads a script as TypeScript.
pub(super) fn read(script: &str) -> Reading {
    if depth(script) > DEEPEST {
        return Reading::Plain;
    }
    let text = [HEAD, script, TAIL].concat();
    let memory = Allocator::default();
    let parsed = Parser::new(&memory, &text, SourceType::ts()).parse();
    if let Some(first) = parsed.diagnostics.iter().next() {
        let at = first.labels.first().map_or(0, |label| label.offset() as usize);
        return Reading::Unread(wrong(script, at, &first.message));
    }
    let comments = parsed.program.comments.iter().map(|comment| range(comment.span)).collect();
    let mut eraser = Eraser { text: &text, comments, blanks: Blanks::default(), head: None, refused: None };
    eraser.visit_program(&parsed.program);
    if let Some((at, message)) = eraser.refused {
        return Reading::Refused(wrong(script, at, message));
    }
    let erased = eraser.blanks.apply(&text);
    let inside = erased.as_deref().and_then(|text| text.strip_prefix(HEAD)?.strip_suffix(TAIL));
    inside.map_or(Reading::Plain, |script| Reading::Erased(script.to_owned()))
}

/// How deep the brackets of a script are, those in its texts included.
fn depth(script: &str) -> usize {
    let (mut deepest, mut depth) = (0, 0_usize);
    for byte in script.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Something wrong at a place in the whole text.
fn wrong(script: &str, at: usize, message: &str) -> Wrong {
    let before = &script[..script.floor_char_boundary(at.saturating_sub(HEAD.len()))];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    let place = (number(before.matches('\n').count()), number(line.chars().count()));
    Wrong { message: message.to_owned(), place }
}

/// Finds what goes.
struct Eraser<'t> {
    text: &'t str,
    /// Where comments stand, in their order.
    comments: Vec<Range<usize>>,
    blanks: Blanks,
    /// Where an expression begins whose first word would make something else of it, and which words would.
    head: Option<(usize, &'static [&'static str])>,
    /// The first thing that cannot just go: where it stands, and what is said of it.
    refused: Option<(usize, &'static str)>,
}

impl<'t> Eraser<'t> {
    fn part(&self, part: Range<usize>) -> &'t str {
        self.text.get(part).unwrap_or_default()
    }

    fn take(&mut self, span: Span) {
        self.blanks.take(range(span));
    }

    /// A statement, or a member of a class, goes. What stands before it must not go on behind it.
    fn take_whole(&mut self, span: Span) {
        self.take(span);
        self.blanks.put(range(span).start, ';');
    }

    fn refuse(&mut self, span: Span, message: &'static str) {
        self.refused.get_or_insert((range(span).start, message));
    }

    fn is_comment(&self, at: usize) -> bool {
        let begun = self.comments.partition_point(|comment| comment.start <= at);
        self.comments[..begun].last().is_some_and(|comment| comment.contains(&at))
    }

    /// Takes a mark such as `?` away that stands in this part of the text.
    fn take_mark(&mut self, mark: char, part: Range<usize>) {
        let mut marks = self.part(part.clone()).match_indices(mark).map(|(at, _)| part.start + at);
        if let Some(at) = marks.find(|at| !self.is_comment(*at)) {
            self.blanks.take(at..at + mark.len_utf8());
        }
    }

    /// Takes a type behind an expression away.
    fn take_behind(&mut self, expression: Span, whole: Span) {
        self.blanks.take(range(expression).end..range(whole).end);
    }

    /// Where a statement ends with a type, and no semicolon follows, the next line must not go on with it.
    fn close(&mut self, span: Span) {
        if let Some(at) = self.blanks.begins_of(range(span).end) {
            self.blanks.put(at, ';');
        }
    }

    /// Takes words such as `private` away that stand before the name of a member.
    fn take_modifiers(&mut self, part: Range<usize>) {
        let (start, mut first) = (part.start, true);
        for (at, word) in words(self.part(part)) {
            let at = start + at;
            if matches!(word, "public" | "private" | "protected" | "readonly" | "override" | "declare") {
                self.blanks.take(at..at + word.len());
                // The member before it must not go on here, as with `[`.
                if first {
                    self.blanks.put(at, ';');
                }
            }
            first = false;
        }
    }

    /// The part before the name of a member, behind its decorators.
    fn before_key(&self, member: Span, decorators: &[Decorator<'_>], key: &PropertyKey<'_>) -> Range<usize> {
        let start = decorators.last().map_or(member.start, |last| last.span.end);
        start as usize..range(key.span()).start
    }

    fn has_break(&self, part: Range<usize>) -> bool {
        self.part(part).contains(ends_line)
    }
}

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        walk::walk_statement(self, it);
        let ends = matches!(
            it,
            Statement::ExpressionStatement(_)
                | Statement::VariableDeclaration(_)
                | Statement::ReturnStatement(_)
                | Statement::ThrowStatement(_)
        );
        if ends {
            self.close(it.span());
        }
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        self.head = Some((range(it.span).start, &["{", "function", "class"]));
        walk::walk_expression_statement(self, it);
    }

    fn visit_arrow_function_body(&mut self, it: &ArrowFunctionBody<'a>) {
        self.head = Some((range(it.span()).start, &["{"]));
        walk::walk_arrow_function_body(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        match it.declare {
            true => self.take_whole(it.span),
            false => walk::walk_variable_declaration(self, it),
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let (true, Some(note)) = (it.definite, &it.type_annotation) {
            self.take_mark('!', range(it.id.span()).end..range(note.span).start);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if it.declare || it.body.is_none() {
            return self.take_whole(it.span);
        }
        walk::walk_function(self, it, flags);
        if let Some(this) = &it.this_param {
            let first = it.params.items.first().map(|first| first.span);
            let next = first.or(it.params.rest.as_ref().map(|rest| rest.span));
            // A comma may follow it.
            let end = next.map_or(range(it.params.span).end - 1, |next| range(next).start);
            self.blanks.take(range(this.span).start..end);
        }
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk::walk_arrow_function_expression(self, it);
        let params = range(it.params.span);
        if let Some(note) = &it.return_type {
            // The arrow must stand in the line of the bracket, so the bracket comes to the arrow.
            let note = range(note.span);
            if self.has_break(params.end..note.end)
                && let Some((last, _)) = self.part(0..note.end).char_indices().next_back()
            {
                self.blanks.take(params.end - 1..params.end);
                self.blanks.put(last, ')');
            }
        }
        if let Some(names) = &it.type_parameters {
            // And what stands before it, such as `async` or `return`, in that of the other bracket.
            let names = range(names.span);
            if self.has_break(names.start..params.start) {
                self.blanks.put(names.start, '(');
                self.blanks.take(params.start..params.start + 1);
            }
        }
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.refuse(it.span, PROPERTY);
        }
        if it.optional {
            let end = it.type_annotation.as_ref().map_or(it.span, |note| note.span);
            let end = if it.type_annotation.is_some() { range(end).start } else { range(end).end };
            self.take_mark('?', range(it.pattern.span()).end..end);
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            return self.take_whole(it.span);
        }
        if it.r#abstract {
            let start = it.decorators.last().map_or(it.span.start, |last| last.span.end) as usize;
            let word =
                words(&self.text[start..range(it.body.span).start]).find(|(_, word)| *word == "abstract");
            word.into_iter().for_each(|(at, word)| self.blanks.take(start + at..start + at + word.len()));
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let before = self.part(0..range(first.span).start);
            let mut words = before.rmatch_indices("implements").map(|(at, _)| at);
            let start = words.find(|at| !self.is_comment(*at)).unwrap_or(before.len());
            self.blanks.take(start..range(last.span).end);
        }
        walk::walk_class(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if it.value.body.is_none() {
            return self.take_whole(it.span);
        }
        self.take_modifiers(self.before_key(it.span, &it.decorators, &it.key));
        if it.optional {
            self.take_mark('?', range(it.key.span()).end..range(it.value.params.span).start);
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            return self.take_whole(it.span);
        }
        self.take_modifiers(self.before_key(it.span, &it.decorators, &it.key));
        let (key, value) = (range(it.key.span()).end, it.value.as_ref().map(GetSpan::span));
        let next = it.type_annotation.as_ref().map(|note| note.span).or(value);
        let end = next.map_or(range(it.span).end, |next| range(next).start);
        for (mark, is_there) in [('?', it.optional), ('!', it.definite)] {
            if is_there {
                self.take_mark(mark, key..end);
            }
        }
        walk::walk_property_definition(self, it);
        self.close(it.span);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        match it.r#type {
            AccessorPropertyType::TSAbstractAccessorProperty => self.take_whole(it.span),
            AccessorPropertyType::AccessorProperty => walk::walk_accessor_property(self, it),
        }
    }

    fn visit_ts_index_signature(&mut self, it: &TSIndexSignature<'a>) {
        self.take_whole(it.span);
    }

    fn visit_ts_class_implements(&mut self, _: &TSClassImplements<'a>) {}

    fn visit_ts_this_parameter(&mut self, _: &TSThisParameter<'a>) {}

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.take(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.take(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.take(it.span);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.take_behind(it.expression.span(), it.span);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.take_behind(it.expression.span(), it.span);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.take_behind(it.expression.span(), it.span);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let part = range(it.span).start..range(it.expression.span()).start;
        if self.has_break(part.clone()) {
            self.refuse(it.span, AHEAD);
        }
        if let Some((_, words)) = self.head.filter(|(at, _)| *at == part.start) {
            self.head = Some((part.end, words));
            if words.contains(&first(&self.text[part.end..])) {
                self.refuse(it.span, HIDDEN);
            }
        }
        self.blanks.take(part);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_type_alias_declaration(&mut self, it: &TSTypeAliasDeclaration<'a>) {
        self.take_whole(it.span);
    }

    fn visit_ts_interface_declaration(&mut self, it: &TSInterfaceDeclaration<'a>) {
        self.take_whole(it.span);
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        match it.declare {
            true => self.take_whole(it.span),
            false => {
                self.refuse(it.span, "an enum would have to become other code; use an object, and `as const`")
            }
        }
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        match it.declare {
            true => self.take_whole(it.span),
            false => self.refuse(it.span, "a namespace would have to become other code; use an object"),
        }
    }

    fn visit_ts_external_module_declaration(&mut self, it: &TSExternalModuleDeclaration<'a>) {
        self.take_whole(it.span);
    }

    fn visit_ts_global_declaration(&mut self, it: &TSGlobalDeclaration<'a>) {
        self.take_whole(it.span);
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.refuse(it.span, "there are no modules to import");
    }
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// The name with which a text begins, or else its first character.
fn first(text: &str) -> &str {
    let end = text.find(|c| !is_part(c)).filter(|end| *end > 0);
    &text[..end.or(text.chars().next().map(char::len_utf8)).unwrap_or_default()]
}

/// Whether a character may stand in a name.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The words of a text that are names, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let pieces = text.split(|c| !is_part(c)).filter(|word| !word.is_empty());
    pieces.map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests;
