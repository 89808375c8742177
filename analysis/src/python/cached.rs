//! `functools.cache`: functions whose results are kept.

use super::heap::Cached;
use super::heap::{Id, Object};
use super::machine::{Machine, Run};
use super::native::{Args, Given, Native, native};
use super::value::Py;
use crate::hash::HashSet;
use std::sync::Arc;

/// Results that are kept of one function.
const RESULTS: usize = 1 << 10;

impl Machine<'_> {
    /// Calls a function whose results are kept.
    pub(super) fn call_cached(&mut self, id: Id, args: Args) -> Run<Py> {
        let Object::Cached(cached) = self.heap.get(id) else {
            return Ok(Py::not_evaluated("functools.cache"));
        };
        let function = cached.function.clone();
        let Some(key) = self.key_of(&args) else {
            return self.call(&function, args);
        };
        let run = Arc::clone(&self.record.runs.present);
        if let Some(Object::Cached(cached)) = self.heap.get_mut(id)
            && cached.run != run
        {
            cached.run = run;
            cached.results.clear();
        }
        let known = match self.heap.get(id) {
            Object::Cached(cached) => cached.results.clone(),
            _ => Vec::new(),
        };
        if let Some(at) = self.place_of_key(&known, &key)?
            && let Some(Object::Cached(cached)) = self.heap.get_mut(id)
            && at < cached.results.len()
        {
            let entry = cached.results.remove(at);
            let result = entry.1.clone();
            cached.results.push(entry);
            cached.hits += 1;
            return Ok(result);
        }
        let result = self.call(&function, args)?;
        if let Some(Object::Cached(cached)) = self.heap.get_mut(id) {
            cached.misses += 1;
            if result.reason().is_none() && cached.size > 0 {
                cached.results.push((key, result.clone()));
            }
            if cached.results.len() > cached.size {
                cached.results.remove(0);
            }
        }
        Ok(result)
    }

    /// Arguments as the key of a result; nothing where one of them is not a value of the trace.
    fn key_of(&mut self, args: &Args) -> Option<Py> {
        let mut key = args.plain.clone();
        for (name, value) in &args.named {
            key.extend([Py::Str(Arc::clone(name)), value.clone()]);
        }
        let is_kept = key.iter().all(|value| self.is_key(value));
        let names: HashSet<&str> = args.named.iter().map(|(name, _)| &**name).collect();
        key.push(Py::Int(i64::try_from(names.len()).ok()?));
        is_kept.then(|| Py::tuple(key))
    }

    fn is_key(&self, value: &Py) -> bool {
        match value {
            Py::Tuple(items) => items.iter().all(|item| self.is_key(item)),
            Py::Leaf(_) | Py::Whole(..) | Py::Coordinate | Py::Open(..) | Py::Unknown(_) => false,
            Py::Object(id) => !matches!(
                self.heap.get(*id),
                Object::List(_) | Object::Dict(_) | Object::Set(_) | Object::Lost(_)
            ),
            _ => true,
        }
    }
}

fn cached(machine: &mut Machine<'_>, function: &Py, size: usize) -> Py {
    Py::Object(machine.heap.add(Object::Cached(Cached {
        function: function.clone(),
        size,
        results: Vec::new(),
        hits: 0,
        misses: 0,
        run: Arc::clone(&machine.record.runs.present),
    })))
}

fn cache(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(cached(machine, given.arg(0), RESULTS))
}

/// `@lru_cache`, `@lru_cache(maxsize=...)`
fn lru_cache(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let first = given.rest.first();
    if let Some(function @ (Py::Object(_) | Py::Native(_) | Py::Builtin(_))) = first {
        return Ok(cached(machine, function, 128));
    }
    let named = given.named.iter().find(|(name, _)| &**name == "maxsize");
    let size = match first.or(named.map(|(_, value)| value)) {
        Some(Py::Int(size)) => usize::try_from(*size).unwrap_or(0).min(RESULTS),
        Some(_) => RESULTS,
        None => 128,
    };
    let size = Py::Int(i64::try_from(size).unwrap_or(0));
    Ok(Py::Method(&SIZED, Arc::new(size)))
}

static SIZED: Native = native("functools.lru_cache.decorator", "size function", |m, g| {
    let size = g
        .arg(0)
        .as_index()
        .and_then(|size| usize::try_from(size).ok());
    let function = g.arg(1).clone();
    Ok(cached(m, &function, size.unwrap_or(RESULTS)))
});

fn clear(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Py::Object(id) = given.arg(0)
        && let Some(Object::Cached(cached)) = machine.heap.get_mut(*id)
    {
        cached.results.clear();
        (cached.hits, cached.misses) = (0, 0);
    }
    Ok(Py::None)
}

/// `function.cache_info()`
fn info(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let counts = match given.arg(0) {
        Py::Object(id) => match machine.heap.get(*id) {
            Object::Cached(cached) => {
                let kept = i64::try_from(cached.results.len()).unwrap_or(0);
                let size = i64::try_from(cached.size).unwrap_or(0);
                [cached.hits, cached.misses, size, kept]
            }
            _ => return Ok(given.takes("a cached function")),
        },
        _ => return Ok(given.takes("a cached function")),
    };
    let named = ["hits", "misses", "maxsize", "currsize"]
        .into_iter()
        .zip(counts);
    let args = Args {
        named: named
            .map(|(name, count)| (name.into(), Py::Int(count)))
            .collect(),
        ..Args::of(Vec::new(), given.span)
    };
    machine.call_native(&super::namespaces::NAMESPACE, args)
}

/// Decorators that keep results, by module.
pub(super) static NATIVES: &[Native] = &[
    native("functools.cache", "f", cache),
    native("functools.lru_cache", "*args **named", lru_cache),
];

/// The methods of functions whose results are kept.
pub(super) static METHODS: &[Native] = &[
    native("cached.cache_clear", "self", clear),
    native("cached.cache_info", "self", info),
];
