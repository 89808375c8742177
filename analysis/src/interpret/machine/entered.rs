//! Functions, constructors and lambdas that are entered: their frames, and their bodies.

use tree_sitter_cute::tree::{Expr, Function, Item, MemberInit};

use super::given::{Given, Outcome};
use super::parameters::forwards_type;
use super::statements::Flow;
use super::store::{Content, Followed, Location, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::{Frame, Scope};
use crate::interpret::overloads::Candidate;
use crate::interpret::site::Site;
use crate::limits;
use crate::types::Type;
use crate::value::Value;

impl<'u> Runner<'_, 'u> {
    pub(super) fn run_chosen(
        &mut self,
        chosen: &Candidate<'u>,
        this: Option<Location>,
        given: Vec<Given<'u>>,
    ) -> Followed<Outcome<'u>> {
        let function = chosen.function;
        let body = body_of(function)?;
        let (mut act, mut inner) = self.entered(chosen, this);
        if forwards_type(function, &given) {
            return Err(Stop);
        }
        self.bind_parameters(&function.params, given, &mut act, &mut inner)?;
        self.run_body_of(body, function.ret.as_ref(), &mut act, &mut inner)
    }

    /// Runs a constructor on an object of which nothing is set yet: its bases, its members, then the body.
    pub(super) fn run_constructor_at(
        &mut self,
        object: &Location,
        chosen: &Candidate<'u>,
        given: Vec<Given<'u>>,
    ) -> Followed<()> {
        let function = chosen.function;
        let class = chosen.record.ok_or(Stop)?;
        let (mut act, mut inner) = self.entered(chosen, Some(object.clone()));
        self.bind_parameters(&function.params, given, &mut act, &mut inner)?;
        let members = self.it.data_members(class);
        let named = |init: &MemberInit| {
            let name = init.target.as_plain_name()?;
            members
                .iter()
                .position(|member| member.name.as_ref().is_some_and(|own| own.name == name))
        };
        // Those of bases, or another constructor.
        let mut of_bases: Vec<(usize, &'u MemberInit)> = Vec::new();
        for init in &function.member_inits {
            if named(init).is_none() {
                match self.it.eval_type(&init.target, &mut inner) {
                    Type::Record(base) => of_bases.push((base.instance, init)),
                    _ => return Err(Stop),
                }
            }
        }
        match of_bases.as_slice() {
            [(delegate, init)] if *delegate == class => {
                let Type::Record(own) = self.it.computed.classes.type_of(class) else {
                    return Err(Stop);
                };
                let content = self.object(&own, &init.args, false, &mut act, &mut inner)?;
                self.store.initialise(object, content)?;
            }
            _ => {
                self.begin_bases(object, class, &of_bases, &mut act, &mut inner)?;
                for (index, member) in members.iter().enumerate() {
                    let mut inits = function.member_inits.iter();
                    let init = inits.find(|init| named(init) == Some(index));
                    self.begin_member(object, class, member, init, &mut act, &mut inner)?;
                }
            }
        }
        if !function.flags.defaulted {
            let body = body_of(function)?;
            self.run_body_of(body, None, &mut act, &mut inner)?;
        }
        Ok(())
    }

    /// The frame inside of a function before its parameters are bound.
    fn entered(
        &mut self,
        chosen: &Candidate<'u>,
        this: Option<Location>,
    ) -> (Activation<'u>, Frame<'u>) {
        let function = chosen.function;
        let site = Site {
            module: chosen.module,
            record: chosen.record,
            this: this.as_ref().map(|_| Value::Nothing),
        };
        let steps = limits::STEPS_PER_INSTANCE;
        let mut frame = self.it.function_frame(function, &site, steps);
        frame.owner.this = None;
        let bound = &chosen.bound.tparams;
        self.it.template_scope(&function.tparams, bound, &mut frame);
        frame.scopes.push(Scope::default());
        let mut tparams = vec![function.tparams.as_slice()];
        let class = chosen
            .record
            .and_then(|class| self.it.record_declaration(class));
        tparams.extend(class.map(|class| class.tparams.as_slice()));
        let act = Activation {
            this,
            tparams,
            ..Activation::default()
        };
        (act, frame)
    }

    /// Runs the statements of a function or lambda whose parameters are bound.
    pub(super) fn run_body_of(
        &mut self,
        body: &'u [Item],
        ret: Option<&'u Expr>,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        if self.calls >= limits::MACHINE_DEPTH {
            return Err(Stop);
        }
        act.ret = ret;
        // `decltype(auto)` may give a reference.
        if ret.is_some_and(|ret| self.it.program.slice(ret.span).starts_with("decltype")) {
            return Err(Stop);
        }
        if let Some(ret) = ret {
            self.is_written_out(ret, act, frame)?;
        }
        frame.scopes.push(Scope::default());
        self.calls += 1;
        let flow = self.all(body, act, frame);
        self.calls -= 1;
        match flow? {
            Flow::Return => act.returned.take().ok_or(Stop),
            Flow::On => Ok(Outcome::Value(Content::Unknown)),
            _ => Err(Stop),
        }
    }
}

/// The statements of a function that are known to be complete.
fn body_of(function: &Function) -> Followed<&[Item]> {
    let body = function.body.as_deref().filter(|_| !function.flags.damaged);
    body.ok_or(Stop)
}
