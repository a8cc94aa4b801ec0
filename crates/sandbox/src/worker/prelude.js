// Makes the realm of a worker safe to share between executions, and gives the functions that begin one.
// Runs once, before any script. `native` holds what the worker offers; nothing here is reachable to scripts
// unless it is put on the global object or into a context.
(function (native, global, parts, levels) {
    'use strict';
    const { create, defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf } = Object;
    const { apply, ownKeys } = Reflect;
    const { isError } = Error;
    const { look, put, open, assign, line, note, isOver, sleep, isKey, serverInfo, redact } = native;

    // Intrinsics without a name of their own.
    const hidden = [
        function* () {}, async function () {}, async function* () {}, (function* () {})(), (async function* () {})(),
        [][Symbol.iterator](), ''[Symbol.iterator](), new Map().entries(), new Set().entries(), 'a'.matchAll(/a/g),
        Iterator.from({ next() {} }), [].values().map((x) => x), new Uint8Array(0),
        (function () { return getOwnPropertyDescriptor(arguments, 'callee').get; })(),
    ];

    // No code from text.
    for (const sample of [function () {}, function* () {}, async function () {}, async function* () {}]) {
        const prototype = getPrototypeOf(sample);
        const { name } = prototype.constructor;
        const refuse = function () {
            throw new TypeError(name + ' is not available: a script cannot make code from text');
        };
        defineProperty(refuse, 'name', { value: name });
        defineProperty(refuse, 'prototype', { value: prototype });
        defineProperty(prototype, 'constructor', { value: refuse });
        if (name === 'Function') defineProperty(global, name, { value: refuse });
    }

    // What can wait, keep or see another execution, and what the engine has had trouble with.
    for (const name of ['eval', 'WeakRef', 'FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'queueMicrotask',
        'performance', 'DOMException', 'navigator', 'gc', 'print', 'scriptArgs', 'setTimeout', 'setInterval']) {
        delete global[name];
    }
    for (const name of ['concat', 'zip', 'zipKeyed']) delete Iterator[name];
    const stackOf = getOwnPropertyDescriptor(Error.prototype, 'stack').get;
    const setPrepare = getOwnPropertyDescriptor(Error, 'prepareStackTrace').set;
    for (const name of ['prepareStackTrace', 'stackTraceLimit', 'captureStackTrace']) delete Error[name];
    delete Array.fromAsync;
    for (const name of ['__proto__', '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__']) {
        delete Object.prototype[name];
    }

    // What scripts are given.
    const give = (name, value) => defineProperty(global, name, { value, writable: true, configurable: true });
    give('sleep', (ms) => sleep(ms));
    give('validateToken', (token) => isKey(token));
    give('getServerInfo', (serverId) => serverInfo(serverId));
    give('redact', (value, patterns, replacement) => redact(value, patterns, replacement));
    const log = (...values) => line(0, values);
    const others = ['table', 'dir', 'group', 'groupCollapsed', 'groupEnd', 'count', 'countReset', 'time', 'timeLog',
        'timeEnd'];
    give('console', {
        ...Object.fromEntries(others.map((name) => [name, log])),
        trace: (...values) => line(1, values),
        assert: (condition, ...values) => { if (!condition) line(4, ['Assertion failed', ...values]); },
        log,
        debug: (...values) => line(1, values),
        info: (...values) => line(2, values),
        warn: (...values) => line(3, values),
        error: (...values) => line(4, values),
    });

    // A frozen property of a prototype would also forbid objects that inherit it to have their own by
    // assignment. These are the names that scripts are known to assign.
    const cure = (prototype, names) => {
        for (const name of names) {
            const found = getOwnPropertyDescriptor(prototype, name);
            if (found === undefined || !('value' in found) || !found.configurable) continue;
            const { value } = found;
            // It stands behind an accessor now, where nobody who looks for what can be changed would find it.
            hidden.push(value);
            defineProperty(prototype, name, {
                get() { return value; },
                set(own) {
                    if (this === prototype || this === undefined || this === null) {
                        throw new TypeError(`Cannot assign to read only property '${name}'`);
                    }
                    defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
                },
                enumerable: false,
            });
        }
    };
    const common = ['constructor', 'toString', 'toLocaleString', 'valueOf'];
    cure(Object.prototype, [...common, 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable']);
    cure(Function.prototype, [...common, 'name', 'length', 'call', 'apply', 'bind']);
    const kinds = new Map();
    for (const name of ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError',
        'AggregateError', 'InternalError', 'SuppressedError']) {
        if (!global[name]) continue;
        const { prototype } = global[name];
        kinds.set(prototype, name);
        cure(prototype, [...common, 'name', 'message', 'stack', 'cause']);
    }
    for (const kind of [Array, Map, Set, Promise, Date, RegExp, String, Number, Boolean]) cure(kind.prototype, common);

    // Everything that two executions could share is frozen.
    const found = new Set();
    const rest = [global, ...hidden];
    while (rest.length > 0) {
        const it = rest.pop();
        if (it === null || (typeof it !== 'object' && typeof it !== 'function') || found.has(it)) continue;
        found.add(it);
        rest.push(getPrototypeOf(it));
        for (const key of ownKeys(it)) {
            const { value, get, set } = getOwnPropertyDescriptor(it, key);
            rest.push(value, get, set);
        }
    }
    for (const it of found) freeze(it);

    const start = (factory, context) => factory(create(global))(context);
    // What a function returns that is not async, as if it were.
    const settle = async (returned) => returned;
    // What is thrown and is no error has no stack, but the engine tells whoever prepares stacks of its way too. It does so
    // once until something is caught, so something is, before each execution. Deep in its calls, where the stack is at
    // its end, there is no room to prepare anything: only for scripts that may need it this is switched on.
    const prepare = (thrown, sites) => {
        let stack = '';
        for (let at = 0; at < sites.length; at++) {
            const site = sites[at];
            const place = site.isNative() ? 'native'
                : `${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()}`;
            stack += `    at ${site.getFunctionName() ?? '<anonymous>'} (${place})\n`;
        }
        if (!isError(thrown)) note(thrown, stack);
        // What is thrown in here the engine drops, an interruption too, and a loop that throws may meet each one in here.
        // Without this the next one comes in the script.
        if (isOver()) apply(setPrepare, Error, [undefined]);
        return stack;
    };
    const follow = (on) => {
        apply(setPrepare, Error, [undefined]);
        try { throw undefined; } catch { /* It is only to be caught. */ }
        if (on) apply(setPrepare, Error, [prepare]);
    };
    // The name, message and stack of an object that was thrown, which must be no proxy, as far as it holds them itself or is
    // of a kind that everybody knows: no code of a script runs.
    const held = (thrown) => {
        const text = (value) => typeof value === 'string' ? value : '';
        const own = (name) => text(getOwnPropertyDescriptor(thrown, name)?.value);
        const name = own('name') || text(kinds.get(getPrototypeOf(thrown)));
        return [name, own('message'), text(apply(stackOf, thrown, []))];
    };
    // The accessors of what is parsed when it is first looked at: parts of the context, and members of them. Making
    // one costs several times what a plain member does, so they outlive executions; what they give does not.
    const accessors = (count, look, put) => {
        const all = [];
        for (let at = 0; at < count; at++) {
            const { get, set } = getOwnPropertyDescriptor({
                get value() { return look(at, this); },
                set value(value) { put(at, this, value); },
            }, 'value');
            all.push(freeze(get), freeze(set));
        }
        return all;
    };
    // The engine forgets what objects look like with the last one that does. These are kept, so that what every
    // execution makes need not be found out again each time.
    const looks = [{}, { continue: true }, create(global), create(Promise.prototype)];
    for (const prototype of [Function.prototype, getPrototypeOf(async function () {})]) {
        const members = [['length', { value: 0, configurable: true }], ['name', { value: '', configurable: true }]];
        for (let count = 0; count <= members.length; count++) {
            const one = create(prototype);
            for (let at = 0; at < count; at++) defineProperty(one, members[at][0], members[at][1]);
            looks.push(one);
        }
    }
    return {
        start,
        settle,
        follow,
        held,
        looks,
        object: Object.prototype,
        array: Array.prototype,
        sourceOf: Function.prototype.toString,
        parts: accessors(parts, look, put),
        doors: accessors(levels, open, assign),
        closed: Symbol('closed'),
    };
})
