//! The parts of a context, parsed level by level.
//!
//! A script that looks at one field of a large message does not pay for the rest: a member that holds much
//! stands closed behind an accessor, and is parsed when it is first looked at. From then on it is a member
//! like any other. What nobody opened is not parsed, not held against the original and not written again.

use super::state::{Text, parse};
use super::tape::{Kind, Tape};
use rquickjs::object::{AsProperty, Property, PropertyFlags};
use rquickjs::{Array, Ctx, Function, Object, Persistent, Result, Value, qjs};
use std::cell::{Cell, OnceCell, RefCell};

/// How many members may stand closed in one execution. The prelude makes an accessor for each.
pub(crate) const MOST: usize = 32;

/// From how many bytes on a member stands closed: one that holds others. What nobody looks at is then not parsed, not
/// compared and not freed.
const LARGE: usize = 40;

/// The same for a text.
const LONG: usize = 1024;

/// Shorter texts are parsed whole.
const SMALL: usize = 160;

/// What is parsed in the place of a member that stands closed.
const NOTHING: &[u8] = b"null";

/// Objects with more members are parsed whole.
const WIDEST: usize = 64;

/// The members that stand closed, or did, in the execution that runs now.
#[derive(Default)]
pub(crate) struct Levels {
    doors: OnceCell<Vec<Door<'static>>>,
    /// What a closed member gives when it is looked for, and not at.
    closed: OnceCell<Persistent<Value<'static>>>,
    members: RefCell<Vec<Member>>,
    sought: Cell<Option<usize>>,
}

struct Member {
    text: Text,
    node: usize,
    name: String,
    holder: Persistent<Object<'static>>,
    value: Option<Persistent<Value<'static>>>,
}

/// The two functions of an accessor.
#[derive(Clone)]
pub(crate) struct Door<'js> {
    get: Persistent<Function<'js>>,
    set: Persistent<Function<'js>>,
}

impl<'js> AsProperty<'js, ()> for Door<'static> {
    fn config(self, ctx: &Ctx<'js>) -> Result<(PropertyFlags, Value<'js>, Value<'js>, Value<'js>)> {
        let flags = qjs::JS_PROP_CONFIGURABLE
            | qjs::JS_PROP_HAS_CONFIGURABLE
            | qjs::JS_PROP_ENUMERABLE
            | qjs::JS_PROP_HAS_ENUMERABLE
            | qjs::JS_PROP_HAS_GET
            | qjs::JS_PROP_HAS_SET;
        let (get, set) = (self.get.restore(ctx)?, self.set.restore(ctx)?);
        Ok((flags as PropertyFlags, Value::new_undefined(ctx.clone()), get.into_value(), set.into_value()))
    }
}

impl Door<'static> {
    /// The accessors that the prelude made.
    pub(crate) fn all<'js>(ctx: &Ctx<'js>, functions: &Array<'js>) -> Result<Vec<Self>> {
        let door = |at: usize| {
            let [get, set] = [functions.get(2 * at)?, functions.get(2 * at + 1)?]
                .map(|function: Function<'js>| Persistent::save(ctx, function));
            Ok(Door { get, set })
        };
        (0..functions.len() / 2).map(door).collect()
    }
}

impl Levels {
    /// Takes the accessors that the prelude made, and what stands for a closed member.
    pub(crate) fn furnish<'js>(&self, ctx: &Ctx<'js>, doors: &Array<'js>, closed: Value<'js>) -> Result<()> {
        // The realm is made once, so both are new.
        let _ = self.doors.set(Door::all(ctx, doors)?);
        let _ = self.closed.set(Persistent::save(ctx, closed));
        Ok(())
    }

    /// Forgets what the execution held.
    pub(crate) fn end(&self) {
        self.members.borrow_mut().clear();
        self.sought.set(None);
    }

    /// Parses the outermost level of a text.
    pub(crate) fn parse<'js>(&self, ctx: &Ctx<'js>, text: &Text) -> Result<Value<'js>> {
        if text.as_str().len() < SMALL {
            return parse(ctx, text.as_str());
        }
        match text.tape() {
            Some(tape) => self.level(ctx, text, &tape, 0),
            None => parse(ctx, text.as_str()),
        }
    }

    fn level<'js>(&self, ctx: &Ctx<'js>, text: &Text, tape: &Tape<'_>, node: usize) -> Result<Value<'js>> {
        let written = tape.text(node);
        if tape.kind(node) == Kind::String && memchr::memchr(b'\\', written.as_bytes()).is_none() {
            let content = &written[1..written.len() - 1];
            return Ok(rquickjs::String::from_str(ctx.clone(), content)?.into_value());
        }
        let chosen = self.choose(tape, node);
        if chosen.is_empty() {
            return parse(ctx, written);
        }
        // The engine parses the level with nothing in the place of what stays closed: so it has the order
        // and the kinds of all members right.
        let whole = tape.place(node);
        let closed: usize = chosen.iter().map(|&member| tape.place(member).len()).sum();
        // The engine wants a zero at the end.
        let room = whole.len() + NOTHING.len() * chosen.len() - closed + 1;
        let (mut rest, mut at) = (Vec::with_capacity(room), whole.start);
        for &member in &chosen {
            let place = tape.place(member);
            rest.extend_from_slice(&text.as_str().as_bytes()[at..place.start]);
            rest.extend_from_slice(NOTHING);
            at = place.end;
        }
        rest.extend_from_slice(&text.as_str().as_bytes()[at..whole.end]);
        let value = ctx.json_parse(rest)?;
        let Some(object) = value.as_object() else { return Ok(value) };
        for node in chosen {
            self.close(ctx, object, text, node, tape.key(node))?;
        }
        Ok(value)
    }

    /// The members of an object that stay closed.
    fn choose(&self, tape: &Tape<'_>, node: usize) -> Vec<usize> {
        let mut chosen = Vec::new();
        if tape.kind(node) != Kind::Object || tape.place(node).len() < LARGE {
            return chosen;
        }
        let room = MOST.saturating_sub(self.members.borrow().len());
        let is_large = |at: usize| match tape.kind(at) {
            Kind::Object | Kind::Array => tape.place(at).len() >= LARGE,
            Kind::String => tape.place(at).len() >= LONG,
            _ => false,
        };
        chosen.extend(tape.inside(node).filter(|&at| is_large(at)).take(room));
        let named = |key: &str| tape.inside(node).filter(|&at| tape.key(at) == key).count();
        let plain = tape.inside(node).all(|at| !tape.key(at).contains('\\'));
        // Of two members with one name the last one counts, which is left to the engine.
        let clear = plain
            && tape.inside(node).count() <= WIDEST
            && chosen.iter().all(|&member| named(tape.key(member)) == 1);
        if !clear {
            chosen.clear();
        }
        chosen
    }

    fn close<'js>(
        &self,
        ctx: &Ctx<'js>,
        object: &Object<'js>,
        text: &Text,
        node: usize,
        name: &str,
    ) -> Result<()> {
        let mut members = self.members.borrow_mut();
        let door = self.doors.get().and_then(|doors| doors.get(members.len()).cloned());
        object.prop(name, door.ok_or(rquickjs::Error::Unknown)?)?;
        let holder = Persistent::save(ctx, object.clone());
        members.push(Member { text: text.clone(), node, name: name.to_owned(), holder, value: None });
        Ok(())
    }

    /// The value of a member, which is parsed when it is new.
    pub(crate) fn open<'js>(&self, ctx: &Ctx<'js>, at: usize, this: &Value<'js>) -> Result<Value<'js>> {
        let (text, node, name, holder) = {
            let members = self.members.borrow();
            let Some(member) = members.get(at) else { return Ok(Value::new_undefined(ctx.clone())) };
            if let Some(value) = &member.value {
                return value.clone().restore(ctx);
            }
            if self.sought.take() == Some(at) {
                return self.closed.get().ok_or(rquickjs::Error::Unknown)?.clone().restore(ctx);
            }
            (member.text.clone(), member.node, member.name.clone(), member.holder.clone())
        };
        let value = match text.tape() {
            Some(tape) => self.level(ctx, &text, &tape, node)?,
            None => Value::new_undefined(ctx.clone()),
        };
        if let Some(member) = self.members.borrow_mut().get_mut(at) {
            member.value = Some(Persistent::save(ctx, value.clone()));
        }
        let holder = holder.restore(ctx)?;
        if this == holder.as_value() && holder.prop(name, plain(value.clone())).is_err() {
            // The script has frozen it: the accessor stays.
            ctx.catch();
        }
        Ok(value)
    }

    /// What a script assigns to a member that stands closed.
    pub(crate) fn assign<'js>(&self, at: usize, this: &Value<'js>, value: Value<'js>) -> Result<()> {
        let name = self.members.borrow().get(at).map(|member| member.name.clone());
        match (name, this.as_object()) {
            (Some(name), Some(object)) => object.prop(name, plain(value)),
            _ => Ok(()),
        }
    }

    /// The number of the member that stands for this place of a text and was never opened.
    pub(crate) fn find(&self, text: &Text, node: usize) -> Option<usize> {
        let is_it = |it: &Member| it.node == node && it.value.is_none() && it.text.is(text);
        self.members.borrow().iter().position(is_it)
    }

    /// Does `look`, which gives nothing when all it meets is this member, closed.
    pub(crate) fn seek<'js>(
        &self,
        ctx: &Ctx<'js>,
        member: usize,
        look: impl FnOnce() -> Result<Value<'js>>,
    ) -> Result<Option<Value<'js>>> {
        self.sought.set(Some(member));
        let value = look();
        self.sought.set(None);
        let (value, closed) = (value?, self.closed.get().ok_or(rquickjs::Error::Unknown)?);
        Ok(if value == closed.clone().restore(ctx)? { None } else { Some(value) })
    }

    /// The text and the place in it that a value was opened from.
    pub(crate) fn origin<'js>(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> Option<(Text, usize)> {
        let members = self.members.borrow();
        let opened = |it: &&Member| {
            it.value.as_ref().and_then(|its| its.clone().restore(ctx).ok()).is_some_and(|its| its == *value)
        };
        members.iter().find(opened).map(|it| (it.text.clone(), it.node))
    }
}

/// A member as literals make it.
pub(crate) fn plain(value: Value<'_>) -> Property<Value<'_>> {
    Property::from(value).writable().enumerable().configurable()
}
