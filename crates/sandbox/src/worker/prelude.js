// Makes the realm of a worker safe to share between executions, and gives the functions that begin one.
// Runs once, before any script. `native` holds what the worker offers; nothing here is reachable to scripts
// unless it is put on the global object or into a context.
(function (native, global, levels) {
    'use strict';
    const { create, defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf } = Object;
    const { ownKeys } = Reflect;
    const { part, touch, open, assign, line, sleep, isKey, serverInfo, redact } = native;

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
    give('console', {
        log: (...values) => line(0, values),
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
    for (const name of ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError',
        'AggregateError', 'InternalError', 'SuppressedError']) {
        if (global[name]) cure(global[name].prototype, [...common, 'name', 'message', 'stack', 'cause']);
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

    // The context of one execution. Its parts are parsed when they are first looked at.
    const make = (method, replied, named, lazy, varied) => {
        let params, hasParams = false, response, hasResponse = false, metadata, hasMetadata = false;
        // Making an accessor costs several times what a plain member does, so there are no more than needed.
        const request = {
            method,
            get params() {
                if (!hasParams) { params = part(0); hasParams = true; }
                return params;
            },
            set params(value) { touch(0); params = value; hasParams = true; },
        };
        const context = {
            request,
            ...named,
            get metadata() {
                if (!hasMetadata) {
                    metadata = part(2);
                    metadata.shared = part(3);
                    hasMetadata = true;
                }
                return metadata;
            },
            set metadata(value) { touch(2); metadata = value; hasMetadata = true; },
        };
        if (replied) {
            defineProperty(context, 'response', {
                get() {
                    if (!hasResponse) { response = part(1); hasResponse = true; }
                    return response;
                },
                set(value) { touch(1); response = value; hasResponse = true; },
                enumerable: true,
                configurable: true,
            });
        }
        if (varied) {
            let variables, hasVariables = false;
            defineProperty(context, 'variables', {
                get() {
                    if (!hasVariables) { variables = part(4); hasVariables = true; }
                    return variables;
                },
                set(value) { touch(4); variables = value; hasVariables = true; },
                enumerable: true,
                configurable: true,
            });
        }
        if (lazy !== undefined) {
            for (let at = 0; at < lazy.length; at++) later(context, lazy[at], 5 + at);
        }
        return context;
    };
    const later = (context, name, number) => {
        let value, parsed = false;
        defineProperty(context, name, {
            get() {
                if (!parsed) { value = part(number); parsed = true; }
                return value;
            },
            set(own) { value = own; parsed = true; },
            enumerable: true,
            configurable: true,
        });
    };
    const start = (factory, context) => factory(create(global))(context);
    // The accessors of members that are parsed when they are first looked at. They outlive executions.
    const doors = [];
    for (let at = 0; at < levels; at++) {
        const { get, set } = getOwnPropertyDescriptor({
            get value() { return open(at, this); },
            set value(value) { assign(at, this, value); },
        }, 'value');
        doors.push(freeze(get), freeze(set));
    }
    return [
        make, start, Object.prototype, Array.prototype, Function.prototype.toString, doors, Symbol('closed'),
    ];
})
