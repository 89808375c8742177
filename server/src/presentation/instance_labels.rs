//! The labels of the instances of a function: the differences, in a few words.
//!
//! In this order, until each instance is told apart: the words of the files that instantiate, template arguments that are
//! numbers, names or flags, the function that calls, the arguments of the class, template arguments that are layouts, the
//! place of the call.

use std::collections::{BTreeSet, HashMap};

use cute_analysis::{Analysis, Dialect, Fact, Role, Value, nearest_call, outermost_file};

use super::abbreviation;
use super::instance_constants::with_constants;

/// The most words of file names, and the most template arguments, that a label has: it is one row of a list.
const MOST_PARTS: usize = 3;

/// The most arguments and constants of a class that a label has: they have no words of files beside them.
const MOST_OF_CLASS: usize = 5;

/// The longest template argument in a label, in characters; a class with arguments itself is longer.
pub(super) const LONGEST_PART: usize = 28;

/// Templates inside each other whose arguments are compared one by one; deeper ones are compared whole.
const NESTED: usize = 16;

/// The longest call, or class with its arguments, that a label names where nothing shorter tells it apart.
const LONGEST_CALL: usize = 60;

/// The label of each instance of a function for a person: the differences, that is the words of the files that
/// instantiate it and its template arguments (`hdim128 · bf16 · Is_causal`), the function that calls it (`gemm_nt`), or the
/// arguments of its class (`(128,64,32) · CausalFusion`); the nearest call where all these are the same.
pub(super) fn labels(analysis: &Analysis, function: &str, instances: &[&str]) -> Vec<String> {
    // The calls of Python are named by the arguments that differ.
    if analysis.dialect == Dialect::Dsl {
        return instances.iter().map(|name| (*name).to_owned()).collect();
    }
    let words = words_of_files(instances);
    let mut arguments = arguments(analysis, function, instances);
    leave_out_said(&words, &mut arguments);
    let mut layouts: Vec<Vec<String>> = Vec::new();
    for own in &mut arguments {
        let (plain, others) = own.drain(..).partition(|argument| !argument.contains('('));
        *own = plain;
        own.truncate(MOST_PARTS);
        layouts.push(others);
    }
    let mut told: Vec<Vec<String>> = words
        .into_iter()
        .zip(arguments)
        .map(|(words, arguments)| words.into_iter().chain(arguments).collect())
        .collect();
    let of_class = || class_arguments(analysis, instances);
    if !are_told_apart(&told) {
        add_if_telling(&mut told, callers(instances), MOST_PARTS);
    }
    if !are_told_apart(&told) {
        add_if_telling(&mut told, of_class(), MOST_OF_CLASS);
    }
    if !are_told_apart(&told) {
        add_if_telling(&mut told, layouts, MOST_PARTS);
    }
    // The nearest call, where it tells instances apart that are alike otherwise.
    let mut calls: HashMap<&[String], BTreeSet<&str>> = HashMap::new();
    for (parts, instance) in told.iter().zip(instances) {
        let alike = calls.entry(parts).or_default();
        alike.insert(nearest_call(instance));
    }
    let labels = told.iter().zip(instances).map(|(parts, instance)| {
        let alike = calls.get(parts.as_slice()).map_or(0, BTreeSet::len);
        let call = (alike > 1 || parts.is_empty())
            .then(|| abbreviation::cut(nearest_call(instance), LONGEST_CALL));
        let parts: Vec<String> = parts.iter().cloned().chain(call).collect();
        parts.join(" · ")
    });
    labels.collect()
}

/// The last part of the name of an instance, `f, line 1, from g, line 2`: the call, or the class, that begins the others.
fn outermost_call(instance: &str) -> &str {
    let mut rest = instance;
    while rest.len() > nearest_call(rest).len() {
        let behind = rest.get(nearest_call(rest).len()..).unwrap_or_default();
        rest = behind.strip_prefix(FROM).unwrap_or_default();
    }
    rest
}

/// The separator between the calls in the name of an instance.
const FROM: &str = ", from ";

/// Whether each instance has parts, and no two the same.
fn are_told_apart(told: &[Vec<String>]) -> bool {
    let distinct: BTreeSet<&Vec<String>> = told.iter().collect();
    distinct.len() == told.len() && told.iter().all(|parts| !parts.is_empty())
}

/// Adds parts where they tell instances apart that were alike, at most `most` of them.
fn add_if_telling(told: &mut [Vec<String>], more: Vec<Vec<String>>, most: usize) {
    let distinct = |told: &[Vec<String>]| told.iter().collect::<BTreeSet<_>>().len();
    let mut longer = told.to_vec();
    for (parts, more) in longer.iter_mut().zip(more) {
        parts.extend(more.into_iter().take(most));
    }
    if distinct(&longer) > distinct(told) {
        told.clone_from_slice(&longer);
    }
}

/// The functions that call, where they all have different names: `gemm_nt`.
fn callers(instances: &[&str]) -> Vec<Vec<String>> {
    let names = instances.iter().map(|instance| {
        let call = nearest_call(instance);
        let name = call.split_once(", ").map(|(name, _)| name);
        name.filter(|name| !name.contains('<')).unwrap_or_default()
    });
    let names: Vec<&str> = names.collect();
    let distinct: BTreeSet<&&str> = names.iter().collect();
    let are_told_apart = distinct.len() == names.len() && !names.contains(&"");
    let own = names.iter().map(|name| {
        let name = are_told_apart.then(|| (*name).to_owned());
        name.into_iter().collect()
    });
    own.collect()
}

/// The arguments of the classes that the instances are of, or of which their outermost calls are members, without those
/// that all have. An argument that differs wherever earlier ones do is left out, as is one that is too long.
fn class_arguments(analysis: &Analysis, instances: &[&str]) -> Vec<Vec<String>> {
    let classes: Vec<&str> = instances.iter().map(|one| outermost_call(one)).collect();
    let mut columns: Vec<Vec<&str>> = Vec::new();
    let mut told_apart = 1;
    let mut differing = differing_arguments(&classes, NESTED);
    // Types and tuples say more than numbers and flags, which may follow from them.
    differing.sort_by_key(|column| column.iter().any(is_plain));
    for column in differing {
        columns.push(column);
        let row = |at| columns.iter().map(move |column| column.get(at));
        let rows = (0..classes.len()).map(|at| row(at).collect::<Vec<_>>());
        let distinct = rows.collect::<BTreeSet<_>>().len();
        if distinct > told_apart {
            told_apart = distinct;
        } else {
            columns.pop();
        }
    }
    // Numbers without the names of their parameters say little: the constants of the class have names; without them the
    // whole of the arguments is in the order of its numbers.
    let is_number =
        |text: &&str| !text.is_empty() && text.chars().all(|digit| digit.is_ascii_digit());
    let says_little = |text: &&str| !text.is_empty() && is_plain(text);
    if columns.iter().flatten().any(says_little) {
        let rows = telling_arguments(instances.len(), &columns);
        let named = with_constants(analysis, instances, rows);
        if named.iter().any(|parts| !parts.is_empty()) {
            return named;
        }
    }
    if columns.iter().flatten().any(is_number) {
        let whole = |class: &&str| {
            let arguments = class.find('<').and_then(|at| class.get(at..));
            let arguments = arguments.map(|text| abbreviation::cut(&readable(text), LONGEST_CALL));
            arguments.into_iter().collect()
        };
        return classes.iter().map(whole).collect();
    }
    let is_short = |column: &Vec<&str>| column.iter().all(|text| text.len() <= LONGEST_PART);
    let (short, long): (Vec<_>, Vec<_>) = columns.into_iter().partition(is_short);
    if short.is_empty() {
        let texts = long.first().map_or(Vec::new(), |column| ends(column));
        return texts.into_iter().map(|text| vec![text]).collect();
    }
    let row = |at: usize| {
        let own = short.iter().filter_map(|column| column.get(at));
        own.filter(|text| !text.is_empty())
            .map(|text| readable(text))
            .collect()
    };
    (0..classes.len()).map(row).collect()
}

/// The arguments of each instance that are types or tuples.
fn telling_arguments(instances: usize, columns: &[Vec<&str>]) -> Vec<Vec<String>> {
    let says = |column: &&Vec<&str>| {
        !column.iter().any(is_plain) && column.iter().all(|text| text.len() <= LONGEST_PART)
    };
    let shown: Vec<&Vec<&str>> = columns.iter().filter(says).collect();
    let of_row = |at: usize| shown.iter().filter_map(move |column| column.get(at));
    let rows = (0..instances).map(|at| of_row(at).map(|text| readable(text)).collect());
    rows.collect()
}

/// Whether an argument is a number or a truth value, which says little without the name of its parameter.
fn is_plain(text: &&str) -> bool {
    matches!(*text, "" | "true" | "false") || text.chars().all(|digit| digit.is_ascii_digit())
}

/// Texts that are too long for a label, each from the word on in which they begin to differ: `…((64,2),(8,8)):((1,512),…`.
fn ends(texts: &[&str]) -> Vec<String> {
    let first = texts.first().copied().unwrap_or_default();
    let is_common = |end: &usize| {
        let start = first.get(..*end);
        start.is_some_and(|start| texts.iter().all(|text| text.starts_with(start)))
    };
    let words = first.match_indices(' ').map(|(at, _)| at + 1);
    let from = words.take_while(is_common).last().unwrap_or(0);
    let mark = if from > 0 { "…" } else { "" };
    let end = |text: &&str| {
        let rest = readable(text.get(from..).unwrap_or_default());
        format!("{mark}{}", abbreviation::cut(&rest, LONGEST_PART))
    };
    texts.iter().map(end).collect()
}

/// The positions at which template arguments differ, each with the argument of each class. An argument that is of one
/// class template in all of them is compared in its turn.
fn differing_arguments<'a>(classes: &[&'a str], nested: usize) -> Vec<Vec<&'a str>> {
    let parts: Option<Vec<(&str, Vec<&str>)>> =
        classes.iter().map(|class| of_template(class)).collect();
    let alike = parts.filter(|_| nested > 0).filter(|parts| {
        parts.first().is_some_and(|(name, arguments)| {
            !arguments.is_empty() && parts.iter().all(|(other, _)| other == name)
        })
    });
    let Some(parts) = alike else {
        return vec![classes.to_vec()];
    };
    let lengths = parts.iter().map(|(_, arguments)| arguments.len());
    let count = lengths.max().unwrap_or(0);
    // An argument that is left out is empty.
    let column = |at: usize| -> Vec<&'a str> {
        let own = parts.iter().map(|(_, arguments)| arguments.get(at));
        own.map(|argument| argument.copied().unwrap_or_default())
            .collect()
    };
    let differs = |column: &Vec<&str>| column.iter().any(|other| Some(other) != column.first());
    let columns = (0..count).map(column).filter(differs);
    columns
        .flat_map(|column| differing_arguments(&column, nested - 1))
        .collect()
}

/// The name of a class template and its arguments: `Runner<float,(_64,_32)>` is `Runner` with two. A member of it, as in
/// `Runner<float>::Storage`, has the same.
fn of_template(text: &str) -> Option<(&str, Vec<&str>)> {
    let open = text.find('<')?;
    let name = text.get(..open)?;
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let (mut depth, mut from, mut arguments) = (0_usize, open + 1, Vec::new());
    for (at, letter) in text.char_indices().skip(open) {
        match letter {
            '<' | '(' => depth += 1,
            ',' if depth == 1 => {
                arguments.push(text.get(from..at)?.trim());
                from = at + 1;
            }
            '>' | ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    arguments.push(text.get(from..at)?.trim());
                    let rest = text.get(at + 1..)?;
                    return (rest.is_empty() || rest.starts_with("::"))
                        .then_some((name, arguments));
                }
            }
            _ => {}
        }
    }
    None
}

/// Static integers without their underscore, as hints write them: `(_128,_64)` is `(128,64)`.
fn readable(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let begins = !written.ends_with(|before: char| before.is_alphanumeric() || before == '_');
        let is_mark = letter == '_' && letters.peek().is_some_and(char::is_ascii_digit);
        if !(begins && is_mark) {
            written.push(letter);
        }
    }
    written
}

/// Takes out flags that the words of the files say as well: `Is_causal` where `causal` is a word of those files alone.
fn leave_out_said(words: &[Vec<String>], arguments: &mut [Vec<String>]) {
    let flags: BTreeSet<String> = arguments.iter().flatten().cloned().collect();
    for flag in flags.iter().filter(|flag| !flag.contains('=')) {
        let word = flag.rsplit('_').next().unwrap_or(flag).to_lowercase();
        let is_said = |(words, own): (&Vec<String>, &Vec<String>)| {
            let says = words.iter().any(|other| other.to_lowercase() == word);
            says == own.contains(flag)
        };
        if words.iter().zip(&*arguments).all(is_said) {
            for own in &mut *arguments {
                own.retain(|other| other != flag);
            }
        }
    }
}

/// The words of the names of the files that instantiate, without those that all have: `hdim128`, `bf16`.
fn words_of_files(instances: &[&str]) -> Vec<Vec<String>> {
    let words: Vec<Vec<&str>> = instances
        .iter()
        .map(|instance| {
            // The layout in the name of a class has a colon as well.
            let file = outermost_file(instance).filter(|file| !file.contains(['<', '(']));
            let name = file.and_then(|file| file.split('.').next());
            name.map(|name| name.split(['_', '-']).collect())
                .unwrap_or_default()
        })
        .collect();
    let is_common = |word: &&str| words.iter().all(|others| others.contains(word));
    let differing = words.iter().map(|words| {
        let kept = words.iter().filter(|word| !is_common(word));
        kept.take(MOST_PARTS)
            .map(|word| (*word).to_owned())
            .collect()
    });
    differing.collect()
}

/// The template arguments of each instance that not all have: a truth value by its name where it is true.
fn arguments(analysis: &Analysis, function: &str, instances: &[&str]) -> Vec<Vec<String>> {
    let of_function =
        |fact: &&Fact| fact.role == Role::TParam && fact.function.as_deref() == Some(function);
    let parameters: Vec<&Fact> = analysis.facts.iter().filter(of_function).collect();
    let told = |fact: &Fact| match &*fact.value {
        Value::Bool(truth) if truth.value => Some(fact.name.to_string()),
        Value::Bool(_) | Value::Unknown(_) => None,
        value => {
            let text = format!("{}={value:#}", fact.name);
            (text.chars().count() <= LONGEST_PART).then_some(text)
        }
    };
    let mut differing: Vec<&Fact> = Vec::new();
    for fact in &parameters {
        let is_known = |known: &&&Fact| known.name_span == fact.name_span;
        let mut others = parameters.iter().filter(is_known);
        let is_new = !differing.iter().any(|known| known.name == fact.name);
        // Two classes of one name, or two functions, read alike.
        if is_new && others.any(|other| other.value != fact.value && told(other) != told(fact)) {
            differing.push(fact);
        }
    }
    let of_instance = |instance: &&str| {
        let own = differing.iter().filter_map(|parameter| {
            parameters.iter().find(|fact| {
                fact.name_span == parameter.name_span && fact.instance.as_deref() == Some(instance)
            })
        });
        own.filter_map(|fact| told(fact)).collect()
    };
    instances.iter().map(of_instance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_instantiate_are_told_apart_by_the_words_that_differ() {
        let calls = [
            "launch, line 9, from run, fwd_hdim128_bf16_causal_sm80.cu:5",
            "launch, line 9, from run, fwd_hdim128_bf16_sm80.cu:5",
            "launch, line 9, from run, fwd_hdim64_fp16_sm80.cu:5",
        ];
        assert_eq!(
            labels(&Analysis::default(), "kernel", &calls),
            ["hdim128 · bf16 · causal", "hdim128 · bf16", "hdim64 · fp16"]
        );
    }

    #[test]
    fn a_flag_that_the_files_say_is_said_once() {
        let of = |parts: &[&[&str]]| -> Vec<Vec<String>> {
            let owned = |part: &&[&str]| part.iter().map(|word| (*word).to_owned()).collect();
            parts.iter().map(owned).collect()
        };
        let words = of(&[&["hdim128", "causal"], &["hdim128"]]);
        let mut arguments = of(&[&["Is_causal", "Is_local"], &["Is_local", "kM=4"]]);
        leave_out_said(&words, &mut arguments);
        assert_eq!(arguments, of(&[&["Is_local"], &["Is_local", "kM=4"]]));
        // Another instance of such a file lacks the flag: it tells the two apart.
        let words = of(&[&["causal"], &["causal"]]);
        let mut arguments = of(&[&["Is_causal"], &[]]);
        leave_out_said(&words, &mut arguments);
        assert_eq!(arguments, of(&[&["Is_causal"], &[]]));
    }

    fn plain(calls: &[&str]) -> Vec<String> {
        labels(&Analysis::default(), "kernel", calls)
    }

    #[test]
    fn functions_that_call_tell_instances_apart() {
        let calls = ["gemm_nt, line 332", "gemm_tn, line 414"];
        assert_eq!(plain(&calls), ["gemm_nt", "gemm_tn"]);
    }

    #[test]
    fn one_function_that_calls_twice_tells_them_by_its_lines() {
        let calls = [
            "f, line 1, from main, line 9",
            "f, line 2, from main, line 9",
        ];
        assert_eq!(plain(&calls), ["f, line 1", "f, line 2"]);
    }

    #[test]
    fn classes_are_told_apart_by_the_arguments_that_differ() {
        let classes = [
            "Mainloop<half_t,(_128,_64,_32),(?,_1,(?,?)),Causal>",
            "Mainloop<half_t,(_128,_64,_64),(?,_1,(?,?)),Causal>",
            "Mainloop<half_t,(_128,_64,_64),(?,_1,(?,?)),Default>",
        ];
        let expected = [
            "(128,64,32) · Causal",
            "(128,64,64) · Causal",
            "(128,64,64) · Default",
        ];
        assert_eq!(plain(&classes), expected);
        // A member of one has its arguments, and so has a call of such a member.
        let members = classes.map(|class| format!("{class}::Storage"));
        assert_eq!(plain(&members.each_ref().map(String::as_str)), expected);
        let calls = classes
            .map(|class| format!("load, kernel.hpp:9, from Kernel<{class},Epilogue<float>>"));
        assert_eq!(plain(&calls.each_ref().map(String::as_str)), expected);
    }

    #[test]
    fn an_argument_that_only_some_classes_have_is_told_where_it_is() {
        let classes = ["K<(_8,_4),Causal>", "K<(_8,_4),Causal,Option<true>>"];
        assert_eq!(plain(&classes), ["K<(_8,_4),Causal>", "Option<true>"]);
    }

    #[test]
    fn templates_of_any_depth_have_labels() {
        let deep = |inner: &str| format!("{}{inner}{}", "A<".repeat(50_000), ">".repeat(50_000));
        let classes = [deep("half_t"), deep("float")];
        let labels = plain(&classes.each_ref().map(String::as_str));
        let lengths = labels.iter().map(|label| label.chars().count());
        assert!(lengths.max() <= Some(2 * LONGEST_CALL), "{labels:?}");
    }

    #[test]
    fn an_argument_that_follows_from_another_one_is_left_out() {
        let classes = ["K<A<half_t>,B<half_t>>", "K<A<float>,B<float>>"];
        assert_eq!(plain(&classes), ["half_t", "float"]);
    }

    #[test]
    fn numbers_of_a_class_stay_in_their_order() {
        let classes = ["Traits<128,64,false,half_t>", "Traits<64,64,false,half_t>"];
        assert_eq!(
            plain(&classes),
            ["<128,64,false,half_t>", "<64,64,false,half_t>"]
        );
    }

    #[test]
    fn flags_of_a_class_are_told_by_its_constants() {
        let truth = |value| Value::Bool(cute_analysis::Truth { value, fixed: true });
        let mut analysis = Analysis::default();
        let classes = [
            "Mainloop<2,(_128,_64,_64),half_t,true,false>",
            "Mainloop<2,(_128,_64,_64),half_t,false,true>",
            "Mainloop<3,(_64,_64,_64),half_t,false,true>",
        ];
        for (class, causal, stages) in [
            (classes[0], true, 2),
            (classes[1], false, 2),
            (classes[2], false, 3),
        ] {
            for (at, name, value) in [
                (10, "kStages", Value::Int(cute_algebra::Int::fixed(stages))),
                (20, "Is_causal", truth(causal)),
                (30, "Is_full", truth(!causal)),
            ] {
                let content = cute_analysis::DeclaredValue {
                    name: name.into(),
                    role: Role::Var,
                    function: Some("Mainloop".into()),
                    value: value.into(),
                    instance: Some(class.into()),
                };
                let span = tree_sitter_cute::tree::Span::new(at, at + 5);
                analysis.facts.push(Fact::new(span, span, content));
            }
        }
        let members = classes.map(|class| format!("load, kernel.hpp:9, from Kernel<{class}>"));
        let members: Vec<&str> = members.iter().map(String::as_str).collect();
        assert_eq!(
            labels(&analysis, "load", &members),
            ["(128,64,64) · Is_causal", "(128,64,64)", "(64,64,64)"]
        );
    }

    #[test]
    fn a_layout_in_the_name_of_a_class_is_no_file() {
        let classes = [
            "Storage<half_t,Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_8):(_1,_64)>",
            "Storage<half_t,Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)>",
        ];
        assert_eq!(plain(&classes), ["…(64,8):(1,64)", "…(8,64):(64,1)"]);
    }
}
