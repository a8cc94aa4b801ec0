// Made from openapi.json by `npm run generate`; not edited by hand.

export interface paths {
    "/.well-known/oauth-protected-resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same for clients that look at the root. */
        get: operations["resourceMetadataAtRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells who gives tokens for the MCP endpoint, and which scopes there are. */
        get: operations["resourceMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the activities by name. */
        get: operations["listActivities"];
        put?: never;
        /** Creates an activity. */
        post: operations["createActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/activities/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one activity. */
        get: operations["getActivity"];
        put?: never;
        post?: never;
        /** Deletes an activity that no workflow uses. */
        delete: operations["deleteActivity"];
        options?: never;
        head?: never;
        /** Changes the fields that the body names; null takes one away. */
        patch: operations["changeActivity"];
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists entries of the audit log, the newest first. For the next page give the last number as `before`. */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Streams the audit log, the oldest entry first, one JSON object a line. */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/captures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the requests that passed lately, the newest first; values of secret-looking keys are masked. */
        get: operations["listCaptures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the config file as it stands now, secrets masked: where each value comes from, and whether it is in effect. */
        get: operations["showConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reads the config file again; one that does not validate changes nothing. */
        post: operations["reloadConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/demo-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Adds the demo server that is built into this binary, as `demo`, and starts it. */
        post: operations["addDemoServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams changes as they happen: `server` with name and status, `list` with the list that changed,
         *     `hooks` and `workflows` when these were edited, `run` when a run has ended, `session` when a session moved,
         *     with `requests=true` also `request` when a request of a client of this instance has ended, with `running=true` also
         *     `running` when a run that is under way on this instance has come to another node, `lost` when this reader
         *     missed something and should read everything again. Every event but `request` and `running` names the `instance`
         *     where it happened, and has an id: a reader that comes back with it in `Last-Event-ID` hears what it missed.
         */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the hooks in the order in which they run. */
        get: operations["listHooks"];
        put?: never;
        /** Creates a hook; its script is checked first. */
        post: operations["createHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates hooks, all or none; a name that is taken becomes `name_1`, `name_2`, … */
        post: operations["importHooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/reorder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Numbers all hooks anew, in the given order. */
        post: operations["reorderHooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tries a draft on a sample context or on a captured request; no server is called. */
        post: operations["testDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/types.d.ts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Serves the types of everything that a script has, for editors. */
        get: operations["hookTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Checks whether a script compiles in the form in which it runs. */
        post: operations["validateHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one hook; its version is the `ETag`. */
        get: operations["getHook"];
        put?: never;
        post?: never;
        /** Deletes a hook. */
        delete: operations["deleteHook"];
        options?: never;
        head?: never;
        /** Changes the fields that the body names. */
        patch: operations["changeHook"];
        trace?: never;
    };
    "/api/hooks/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Forgets the failures of a hook, which then runs again where it was passed over. */
        post: operations["resetHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tries a kept hook on a sample context or on a captured request; no server is called. */
        post: operations["testHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the keys in force, without the keys themselves. */
        get: operations["listKeys"];
        put?: never;
        /** Makes a key. This answer is the only one that shows it. With the first key every route needs one. */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes a key that the gateway made, at once. */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/node-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the kinds of nodes, those of plug-ins included. */
        get: operations["listNodeTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Serves the description of this API. */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the last requests of clients that fit, the newest first: who asked for what, when, and what came of it,
         *     never what was sent or answered. How many there are is for `requests.keep` to say.
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the runs of all workflows or of one, the newest first. */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one run. */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the schedules in the order of their creation. */
        get: operations["listSchedules"];
        put?: never;
        /** Creates a schedule: one of `at`, `everyMs` and `cron`. */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one schedule with its next times. */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /** Deletes a schedule; the sessions that it started stay. */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /** Changes the fields that the body names; null takes one away. `paused` holds a schedule and lets it go on. */
        patch: operations["changeSchedule"];
        trace?: never;
    };
    "/api/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the servers with their status and last error. */
        get: operations["listServers"];
        put?: never;
        /** Adds a server, keeps it in the store and starts it. */
        post: operations["addServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds the servers of a desktop client's configuration and starts them. With `dryRun=true` it only says what
         *     would happen to each.
         */
        post: operations["importServers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Stops and removes a server that was added over the API. */
        delete: operations["removeServer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{name}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the last lines of a server's standard error; values of its environment are masked. */
        get: operations["serverLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{name}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restarts a server by hand, in any status and under any restart policy. */
        post: operations["restartServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{name}/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begins a sign-in to a remote server; the answer has the address to open in a browser. */
        post: operations["signInToServer"];
        /** Forgets the sign-in to a remote server, and starts it anew without. */
        delete: operations["signOutOfServer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells who is signed in. */
        get: operations["whoAmI"];
        put?: never;
        /** Signs in with a key. The answer sets a cookie, which the page's later requests carry. */
        post: operations["signIn"];
        /** Signs out: takes the cookie away. */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists sessions, the newest first; `X-Total-Count` says how many there are. */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Brings an event to the sessions that wait for it. */
        post: operations["raiseEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counts sessions by status and by workflow. */
        get: operations["sessionStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one session. */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Allows or refuses the step that a session waits to be allowed. */
        post: operations["approveSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a session; with `compensate` its steps are undone. */
        post: operations["cancelSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs the next step of a session; the body has the arguments of the tool without `sessionId`. */
        post: operations["continueSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Holds a session until it is continued; with `expectedStep` only if it stands at that step. */
        post: operations["pauseSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/steps/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows what one step of a session was given and what it gave, as far as it is recorded; secrets are masked. */
        get: operations["getSessionStep"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows counts and times of servers, tools and hooks since the start. */
        get: operations["stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the templates: those that come with the product, your own, and those of the catalogue. */
        get: operations["listTemplates"];
        put?: never;
        /** Saves a template, of a workflow or of a definition in the body. */
        post: operations["saveTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keeps a template from such a file as your own. */
        post: operations["importTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one template with the definition that it holds. */
        get: operations["getTemplate"];
        put?: never;
        post?: never;
        /** Deletes a template of your own; workflows that were made from it stay. */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a workflow from a template; it is not active. */
        post: operations["createFromTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Serves a template as a file. */
        get: operations["exportTemplate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the workflows in the order of their creation. */
        get: operations["listWorkflows"];
        put?: never;
        /** Creates a workflow; with `enabled` it is activated too. */
        post: operations["createWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a workflow from an exported definition; it is not active. */
        post: operations["importWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finds everything that keeps a definition from being activated; nothing is stored. */
        post: operations["validateWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one workflow; its revision is the `ETag`. */
        get: operations["getWorkflow"];
        put?: never;
        post?: never;
        /** Deletes a workflow; its runs stay until they are trimmed. */
        delete: operations["deleteWorkflow"];
        options?: never;
        head?: never;
        /** Changes the fields that the body names. */
        patch: operations["changeWorkflow"];
        trace?: never;
    };
    "/api/workflows/{id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Activates a workflow; the others of its type are turned off. */
        post: operations["activateWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}/diagram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Draws a workflow, alone or with what one run or session did in it. */
        get: operations["drawWorkflow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turns a workflow off; the next request goes without it. */
        post: operations["disableWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs an active workflow once, the server being called, and answers with the run. Of a session workflow it starts
         *     a session: the body is the start input, and the answer that of its start tool.
         */
        post: operations["executeWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Serves the definition of a workflow as a file. */
        get: operations["exportWorkflow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the runs of one workflow, the newest first. */
        get: operations["listWorkflowRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the versions of a workflow, the newest first. */
        get: operations["listVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Serves the definition of a version, as an export has it. */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        /** Deletes a version that is not the current one and that no open session uses. */
        delete: operations["deleteVersion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}/versions/{version}/diff/{other}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compares two versions: what is new, gone and another in the second. */
        get: operations["compareVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{id}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes the definition of a version current again, as a new version. */
        post: operations["restoreVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-metadata.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells issuers that read it what the gateway is as a client. */
        get: operations["clientMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells how the gateway and its servers are. */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Calls one tool. */
        post: operations["callTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the cached tools: servers in config order, then each server's own order. */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Serves counters and times. */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Takes what a person brings back from the issuer of a server. */
        get: operations["signedInToServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An activity as it is written. */
        Activity: {
            /** @description Unique among activities. */
            name: string;
            /** @description What it is for. */
            description?: string;
            /** @description JSON Schema of its input. */
            inputSchema?: Record<string, never> | null;
            /** @description JSON Schema of its data. */
            outputSchema?: Record<string, never> | null;
            /**
             * Format: int64
             * @description Milliseconds for one execution.
             */
            timeout?: number | null;
            retry?: components["schemas"]["Retry"] | null;
            /** @description Whether it is shown as a tool of its own. */
            publish?: boolean;
            /** @description What it does. */
            run: components["schemas"]["Run"];
            /** @description A script that runs after a success. */
            onSuccess?: string | null;
            /** @description A script that runs after a failure. */
            onFailure?: string | null;
            /** @description A script that runs last, whatever came of it. */
            onComplete?: string | null;
            onUnknown?: components["schemas"]["OnUnknown"] | null;
        };
        /** @description An activity as the admin API shows it. */
        ActivityView: components["schemas"]["Activity"] & {
            /** @description Where it comes from. */
            source: components["schemas"]["DefinitionSource"];
            /** @description The session workflows that use it. */
            usedBy: string[];
            /**
             * Format: int64
             * @description Counts its changes, from 1.
             */
            revision?: number | null;
            /**
             * Format: int64
             * @description When it was created, in milliseconds since 1970.
             */
            createdAt?: number | null;
            /**
             * Format: int64
             * @description When it was last changed, in milliseconds since 1970.
             */
            updatedAt?: number | null;
        };
        /** @description The answer to the question of a session. */
        ApprovalBody: {
            /** @description Names the question, as the session shows it. */
            digest: string;
            /** @description Whether the step may run. */
            allow: boolean;
            /** @description Why not. */
            reason?: string | null;
        };
        /** @description Whether somebody must allow a step before it runs. */
        Approve: boolean | components["schemas"]["Approvers"];
        /** @description How a step is allowed. */
        Approvers: {
            /** @description What the one who decides is told. */
            message?: string | null;
            /**
             * Format: int64
             * @description Milliseconds after which the question is void and the step fails.
             */
            expiresMs?: number | null;
            /** @description Whether only the API and the UI may decide, not a tool call. */
            apiOnly?: boolean;
        };
        /** @description Arguments of a command: a list, or one string that is split on white space. */
        Args: string[] | string;
        /** @description One entry of the audit log. */
        AuditView: {
            /**
             * Format: int64
             * @description Its number; the first is 1, and none is left out.
             */
            number: number;
            /**
             * Format: int64
             * @description When, in milliseconds since 1970.
             */
            at: number;
            /**
             * @description `call`, `change`, `refusal`, `lost` for entries that could not be recorded, or `trim` for those that were
             *     forgotten because they are old.
             */
            kind: string;
            /** @description Who did it. */
            who: string;
            /** @description What it was done to: `server/tool`, or a path. */
            subject: string;
            /** @description The rest: outcome, time, hooks, digest of the arguments; method, status and address of a change. */
            details: Record<string, never>;
            /** @description The hash of the entry before. */
            previous: string;
            /** @description Its own, which covers all of the above. */
            hash: string;
        };
        /** @description A sign-in that was begun. */
        Begun: {
            /** @description The address to open in a browser. */
            url: string;
        };
        /** @description How many calls may pass. */
        Bounds: {
            rate?: {
                /**
                 * Format: int64
                 * @description How many a second; 0 for no limit.
                 * @default 0
                 */
                perSecond: number;
                /**
                 * Format: int64
                 * @description How many at once after a pause; as many as in a second when 0.
                 * @default 0
                 */
                burst: number;
            } & Record<string, never>;
            /**
             * Format: int64
             * @description Calls at a time; 0 for no limit.
             * @default 0
             */
            concurrency: number;
            /**
             * Format: int64
             * @description Calls that may wait for one of those to end.
             * @default 0
             */
            queue: number;
        };
        /** @description A tool that was chosen among those that a step offered. */
        BranchDecision: {
            /** @description The step that offered it. */
            stepIndex: number;
            /** @description The pattern that offered it. */
            branchPattern?: string | null;
            /** @description The tool. */
            toolName: string;
            /**
             * Format: int64
             * @description When it was called.
             */
            timestamp: number;
        };
        /** @description A tool that a client may call next. */
        BranchOption: {
            /** @description The tool. */
            toolName: string;
            /** @description What it is to be called with. */
            parameters: Record<string, never>;
            /** @description When it is meant to be called. */
            condition?: string | null;
            /**
             * Format: double
             * @description Higher goes first; none counts as 0.
             */
            priority?: number | null;
            /** @description Whatever else the activity says of it. */
            metadata?: unknown;
        };
        /** @description What may be called after a step, in one of two forms. */
        Branches: Record<string, never> | components["schemas"]["PredicateBranch"][];
        /** @description When a server that fails again and again is left alone for a while. */
        Breaker: {
            /**
             * Format: int64
             * @description Failures in a row that open it; 0 switches it off.
             * @default 0
             */
            failures: number;
            /**
             * Format: int64
             * @description Milliseconds until one call may try again.
             * @default 30000
             */
            openMs: number;
        };
        /**
         * @description The body of a call.
         * @example {
         *       "server": "health-server",
         *       "toolName": "calculate-bmi",
         *       "input": {
         *         "weight_kg": 70,
         *         "height_m": 1.75
         *       },
         *       "timeout": 5000
         *     }
         */
        CallBody: {
            /** @description The server; may be left out with `routing.allowToolOnly`. */
            server: string;
            /** @description The tool. */
            toolName: string;
            /** @description The arguments of the tool. */
            input: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description Milliseconds for this call alone.
             */
            timeout?: number | null;
        };
        /** @description The reply to a call that worked. */
        CallReply: {
            /** @description Always true. */
            success: boolean;
            /** @description Structured content, or the JSON of the only text part, or the whole result. */
            result: unknown;
        };
        /** @description A request that passed, as people see it. */
        Capture: {
            /** @description Names it when a draft is tried on it. */
            id: string;
            /**
             * Format: int64
             * @description When it was done, in milliseconds since 1970.
             */
            at: number;
            /** @description The MCP method. */
            method: string;
            /** @description The client. */
            clientId: string;
            /** @description The server, where one was addressed. */
            serverName?: string | null;
            /** @description The tool, where one was called. */
            toolName?: string | null;
            /** @description The resource, where one was read, as its server calls it. */
            resourceUri?: string | null;
            /** @description The prompt, where one was asked for, as its server calls it. */
            promptName?: string | null;
            /** @description The parameters as they came in, masked; null when they were too large to be kept. */
            params: unknown;
            /** @description What the server answered, masked; null when it failed, or was too large to be kept. */
            response: unknown;
            /** @description Which of `params` and `response` were too large, or nested too deeply, to be kept. */
            truncated?: string[];
            /** @description Why it failed. */
            error?: unknown;
            /**
             * Format: double
             * @description Milliseconds from request to reply.
             */
            duration: number;
        };
        /** @description What a reload did, by server name. */
        Changes: {
            /** @description Servers that are new. */
            added: string[];
            /** @description Servers that are gone. */
            removed: string[];
            /** @description Servers whose definition changed; they were restarted. */
            changed: string[];
        };
        /** @description A configuration of a desktop client. */
        ClientConfig: {
            /** @description The text of its file: JSON with `mcpServers` or `servers`, or TOML with `mcp_servers`. */
            text: string;
        };
        /**
         * @description A stable name for a kind of failure.
         * @enum {string}
         */
        Code: "VALIDATION_ERROR" | "SERVER_NOT_FOUND" | "TOOL_NOT_FOUND" | "TIMEOUT_ERROR" | "SERVER_NOT_RUNNING" | "SERVER_CRASHED" | "TOOL_EXECUTION_ERROR" | "INTERNAL_ERROR" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "UNAUTHORIZED" | "FORBIDDEN" | "RATE_LIMITED" | "OVERLOADED" | "CIRCUIT_OPEN" | "STORE_UNAVAILABLE";
        /** @description What was undone after a failure or a cancel. */
        Compensation: {
            /** @description Whether every step that had to be undone was. */
            complete: boolean;
            /** @description The steps that were undone; a group is when all of its members are. */
            undone: number[];
            /** @description The steps whose undoing failed. */
            failed: number[];
        };
        /** @description One line that a script wrote to the console. */
        ConsoleLine: {
            /** @description `log`, `debug`, `info`, `warn` or `error`. */
            level: string;
            /** @description What it says. */
            text: string;
        };
        /** @description The way that was taken at a condition. */
        Decision: {
            /** @description The id of the node. */
            nodeId: string;
            /** @description Whether it was the way for true. None was taken when the session failed here. */
            way?: boolean | null;
            /** @description Why the expression has no value. */
            error?: string | null;
            /** @description The steps that are passed over for it: those to which only the other way leads. */
            passedSteps?: number[];
            /**
             * Format: int64
             * @description When it was decided, in milliseconds since 1970.
             */
            timestamp: number;
        };
        /**
         * @description Where a definition comes from.
         * @enum {string}
         */
        DefinitionSource: "config" | "api";
        /** @description How many sessions took an event. */
        Delivered: {
            delivered: number;
        };
        /** @description A script to be tried. */
        Draft: {
            /**
             * @description The script.
             * @default null
             */
            script: string | null;
            /**
             * @description `pre` or `post`; by default what fits the context.
             * @default null
             */
            phase: string | null;
            /**
             * @description A sample context: `request`, `response`, `metadata` and whatever else the script reads. It is taken as it is
             *     written, as a request is.
             */
            context?: Record<string, never> | null;
            /**
             * @description A captured request instead of a sample.
             * @default null
             */
            captureId: string | null;
        };
        /** @description The configuration, secrets masked. */
        Effective: {
            /** @description The version of the gateway. */
            version: string;
            /** @description The config file. */
            path: string;
            /** @description Whether the file says what is in effect; false when it was edited and not read again. */
            inEffect: boolean;
            /** @description Every setting. */
            values: components["schemas"]["EffectiveValue"][];
            /** @description The servers of the file as written, secrets masked. */
            servers: Record<string, never>[];
        };
        /** @description One setting. */
        EffectiveValue: {
            /** @description Its path in the file, such as `http.timeoutStatus`. */
            key: string;
            /** @description Its value. */
            value: unknown;
            /** @description `flag`, `file`, `environment` or `default`. */
            origin: string;
            /** @description The flag or the variable. */
            from?: string | null;
        };
        /** @description One environment variable of a child. */
        EnvVar: {
            /** @description `^[A-Z0-9_]+$`. */
            name: string;
            /** @description At most 1000 characters; may hold `${NAME}` in the config file. */
            value: string;
        };
        /** @description What went wrong. */
        ErrorBody: {
            code: components["schemas"]["Code"];
            /** @description What happened and what to do. */
            message: string;
            /** @description Facts for programs. */
            details: {
                [key: string]: unknown;
            };
        };
        /** @description Every error. */
        ErrorReply: {
            /** @description Always false. */
            success: boolean;
            error: components["schemas"]["ErrorBody"];
        };
        /** @description An event for sessions that wait. */
        EventBody: {
            /** @description Its name. */
            event: string;
            /** @description What it brings. */
            data?: unknown;
            /** @description The session that it is meant for. */
            sessionId?: string | null;
        };
        /** @description A context to be executed with. */
        Execution: {
            /**
             * @description `request.params` of a call, as a client would send them; `serverName` where the tool's name alone does
             *     not say which server is meant.
             */
            context: Record<string, never>;
        };
        /** @description One run of an activity, with what it was given and what it gave. */
        ExecutionDetail: {
            /** @description Its activity; absent while it runs. */
            activityName?: string | null;
            /**
             * Format: int64
             * @description When it began.
             */
            startedAt: number;
            /**
             * Format: int64
             * @description When it ended; absent while it runs.
             */
            completedAt?: number | null;
            /**
             * Format: int32
             * @description How often it was tried.
             */
            attempts: number;
            /** @description What it was given; absent where that was not recorded, which is so for a step that only runs a script. */
            input?: unknown;
            /** @description What it gave. */
            output?: unknown;
            /** @description What it wrote to the memory besides; `null` for a key that it took out. */
            memory?: Record<string, never>;
            /** @description Why it failed. */
            error?: string | null;
            /** @description Whether it undid the step. */
            compensation?: boolean;
        };
        /**
         * @description One of the five tools of a session workflow.
         * @enum {string}
         */
        Face: "start" | "continue" | "status" | "pause" | "cancel";
        /** @description A field that is another than before. */
        FieldChange: {
            /** @description Its path, such as `data.label`. */
            field: string;
            /** @description What it was; absent where it was not there. */
            from?: unknown;
            /** @description What it is; absent where it is not there any more. */
            to?: unknown;
        };
        /** @description Counts and times since the gateway started. */
        Figures: {
            /**
             * Format: int64
             * @description When they were taken, in milliseconds since 1970.
             */
            at: number;
            /**
             * Format: double
             * @description Seconds since the start.
             */
            uptime: number;
            /**
             * Format: int64
             * @description Calls that reached a server.
             */
            calls: number;
            /**
             * Format: int64
             * @description Those of them that failed.
             */
            errors: number;
            /** @description Upper bounds of the time buckets, in microseconds. */
            bounds: number[];
            /** @description Calls of all servers per bucket; the last one has no bound. */
            buckets: number[];
            /** @description Every server, in the order of the config file. */
            servers: components["schemas"]["ServerFigures"][];
            /** @description Every hook, in the order in which they run. */
            hooks: components["schemas"]["HookFigures"][];
        };
        /** @description What a template is given. */
        FromTemplate: {
            /** @description The name of the new workflow; that of the template by default. */
            name?: string | null;
            /** @description The parameters, by their names. */
            parameters?: Record<string, never> | null;
        };
        /** @description A pattern for names. */
        Glob: string;
        /** @description What a key permits. */
        Grant: {
            /**
             * @description Servers that it reaches, with `*` and `?`; all when absent, none when empty. `lockgate` stands for the
             *     gateway's own tools.
             * @default null
             */
            servers: components["schemas"]["Glob"][] | null;
            /**
             * @description Tools that it reaches, as `tool` or `server/tool`, with `*` and `?`; all when absent, none when empty.
             * @default null
             */
            tools: components["schemas"]["Glob"][] | null;
            /**
             * @description Whether it reaches only tools whose server says that they change nothing (`readOnlyHint`).
             * @default false
             */
            readOnly: boolean;
            /** @default null */
            role: components["schemas"]["Role"] | null;
            /**
             * @description Requests per second.
             * @default {
             *       "perSecond": 0,
             *       "burst": 0
             *     }
             */
            rate: components["schemas"]["Rate"];
            /**
             * Format: int64
             * @description Requests at a time; 0 for no limit.
             * @default 0
             */
            concurrency: number;
            /**
             * @description When it ends, RFC 3339.
             * @default null
             */
            expires: string | null;
        };
        /**
         * @description How the gateway gets its own tokens for a server.
         * @enum {string}
         */
        GrantType: "authorization-code" | "client-credentials";
        /** @description `servers[].harden`: every measure that is given is taken, or the server does not start. */
        Harden: {
            /**
             * Format: int64
             * @description Bytes of memory that each process of the server may hold.
             * @default null
             */
            memory: number | null;
            /**
             * Format: int64
             * @description Seconds that each process of the server may compute.
             * @default null
             */
            cpuTime: number | null;
            /**
             * Format: int64
             * @description Files and connections that each process of the server may have open.
             * @default null
             */
            files: number | null;
            /**
             * Format: int64
             * @description Processes and threads that the user of the gateway may have when the server starts another.
             * @default null
             */
            processes: number | null;
            /**
             * @description Whether programs that the server starts are kept from gaining rights, such as by `sudo`.
             * @default true
             */
            noNewPrivileges: boolean;
            /** @default null */
            landlock: components["schemas"]["Landlock"] | null;
            /**
             * @description Whether system calls that no server needs are refused, such as mounting and tracing.
             * @default false
             */
            seccomp: boolean;
            /**
             * @description Whether the server starts all the same where the system lacks a measure.
             * @default false
             */
            optional: boolean;
        };
        /** @description How the gateway and its servers are. */
        Health: {
            /** @description `ok` when every server is running and the store has its data, else `degraded`. */
            status: string;
            /**
             * Format: double
             * @description Seconds since the start.
             */
            uptime: number;
            /** @description Every server with its status word, in config order. */
            servers: {
                [key: string]: unknown;
            };
            /** @description True when the gateway listens on another address than loopback without keys. */
            open?: boolean;
            /** @description True when the store lost its data while the gateway ran: what is known here stays in force until it is restarted. */
            storeLost?: boolean;
            /** @description The methods whose requests all fail because the active workflow around them cannot run. */
            failing?: string[];
            /** @description True when `DISABLE_VALIDATION` is on. */
            validationDisabled?: boolean;
        };
        /** @description A hook as it is kept. */
        Hook: {
            /** @description Given by the gateway. */
            id: string;
            /** @description Unique among all hooks; not blank, at most 100 characters. */
            name: string;
            /** @description What it is for. */
            description?: string | null;
            /** @description `false` means never run by the list. */
            enabled: boolean;
            /**
             * Format: double
             * @description Its place in the list: smaller runs earlier, ties run by creation time.
             */
            executionOrder: number;
            /** @description The phases in which it runs. */
            hookType: components["schemas"]["HookType"];
            /** @description What a failure does to the request. */
            onError: components["schemas"]["OnError"];
            /** @description The body of an async function; at most 1048576 bytes. */
            script: string;
            /**
             * Format: int64
             * @description Counts the changes, from 1; logs name it, so that a line can be traced to the script that ran.
             */
            version: number;
            /**
             * Format: int64
             * @description When it was created, in milliseconds since 1970.
             */
            createdAt: number;
            /**
             * Format: int64
             * @description When it was last changed, in milliseconds since 1970; grows with every change.
             */
            updatedAt: number;
        };
        /** @description What a user gives to create a hook. */
        HookDraft: {
            /** @description Unique among all hooks; not blank, at most 100 characters. */
            name: string;
            /** @description What it is for. */
            description?: string | null;
            /** @description Whether the list runs it; `true` when absent. */
            enabled?: boolean | null;
            /**
             * Format: double
             * @description Its place in the list; after the last when absent.
             */
            executionOrder?: number | null;
            /** @description The phases in which it runs. */
            hookType: components["schemas"]["HookType"];
            onError?: components["schemas"]["OnError"] | null;
            /** @description The body of an async function; at most 1048576 bytes. */
            script: string;
        };
        /** @description Counts and times of one hook. */
        HookFigures: {
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description How often it ran.
             */
            executions: number;
            /**
             * Format: int64
             * @description How often it failed or overran its time.
             */
            errors: number;
            /**
             * Format: int64
             * @description How often it blocked.
             */
            blocks: number;
            /**
             * Format: int64
             * @description Half of its executions took at most this long, in microseconds.
             */
            p50Us: number;
            /**
             * Format: int64
             * @description All but one in twenty took at most this long, in microseconds.
             */
            p95Us: number;
            /**
             * Format: int64
             * @description All executions together, in microseconds.
             */
            totalUs: number;
        };
        /** @description What a user gives to change a hook: the fields that change. */
        HookPatch: {
            /** @description Another name. */
            name?: string | null;
            /** @description Another description; null takes it away. */
            description?: string | null;
            /** @description Whether the list runs it. */
            enabled?: boolean | null;
            /**
             * Format: double
             * @description Another place in the list.
             */
            executionOrder?: number | null;
            hookType?: components["schemas"]["HookType"] | null;
            onError?: components["schemas"]["OnError"] | null;
            /** @description Another script. */
            script?: string | null;
        };
        /** @description The executions of one hook since the gateway started. */
        HookStats: {
            /**
             * Format: int64
             * @description How often it ran.
             */
            executions: number;
            /**
             * Format: int64
             * @description How often it threw, returned no verdict, or could not run; timeouts count apart.
             */
            errors: number;
            /**
             * Format: int64
             * @description How often it overran `hooks.timeoutMs`.
             */
            timeouts: number;
            /**
             * Format: int64
             * @description How often it blocked.
             */
            blocks: number;
            /**
             * Format: int64
             * @description Half of its executions took at most this long, in microseconds.
             */
            p50Us: number;
            /**
             * Format: int64
             * @description All but one in a hundred took at most this long, in microseconds.
             */
            p99Us: number;
            /**
             * Format: int64
             * @description The most memory that one execution used, in bytes.
             */
            peakMemory: number;
        };
        /** @description What a kept hook made of a sample. */
        HookTrial: components["schemas"]["Trial"] & {
            /** @description The context as the hook left it; the same as `after`. */
            context: unknown;
        };
        /**
         * @description The phases in which a hook of the list runs.
         * @enum {string}
         */
        HookType: "pre" | "post" | "both";
        /** @description A hook as the admin API shows it. */
        HookView: components["schemas"]["Hook"] & {
            /** @description Its executions since the gateway started. */
            stats: components["schemas"]["HookStats"];
            /**
             * @description Whether it failed ten times in a row, and has not ended well, been edited or been reset since. It goes on running,
             *     unless it used up its time or memory each time: then it is passed over for 30 seconds, and tried again.
             */
            tripped: boolean;
            lastError?: components["schemas"]["LastError"] | null;
        };
        /** @description An HTTP request, with placeholders. */
        HttpRun: {
            /** @description Its method; GET by default. */
            method?: string;
            /** @description Where it goes. */
            url: string;
            /** @description Its headers. */
            headers?: Record<string, never>;
            /** @description Its body; without one the input goes as query or as JSON. */
            body?: unknown;
        };
        /** @description What happens to one entry. */
        ImportedServer: {
            /** @description Its name here. */
            name: string;
            /** @description Where it stands in the text. */
            at: string;
            /** @description `new`, `exists`, `invalid` or `skipped`. */
            verdict: string;
            /** @description Why it is not added, with the exact field. */
            reason?: string | null;
            /** @description What is not carried over as it stands. */
            notes: string[];
            /** @description The entry, secrets masked. */
            server?: Record<string, never> | null;
            added?: components["schemas"]["ServerView"] | null;
        };
        /** @description An item that is another than before. */
        ItemChange: {
            /** @description Which one. */
            id: string;
            /** @description What is different in it. */
            fields: components["schemas"]["FieldChange"][];
        };
        /** @description A key to be made. */
        KeyDraft: ({
            /**
             * @description Servers that it reaches, with `*` and `?`; all when absent, none when empty. `lockgate` stands for the
             *     gateway's own tools.
             * @default null
             */
            servers: components["schemas"]["Glob"][] | null;
            /**
             * @description Tools that it reaches, as `tool` or `server/tool`, with `*` and `?`; all when absent, none when empty.
             * @default null
             */
            tools: components["schemas"]["Glob"][] | null;
            /**
             * @description Whether it reaches only tools whose server says that they change nothing (`readOnlyHint`).
             * @default false
             */
            readOnly: boolean;
            /** @default null */
            role: components["schemas"]["Role"] | null;
            /**
             * @description Requests per second.
             * @default {
             *       "perSecond": 0,
             *       "burst": 0
             *     }
             */
            rate: components["schemas"]["Rate"];
            /**
             * Format: int64
             * @description Requests at a time; 0 for no limit.
             * @default 0
             */
            concurrency: number;
            /**
             * @description When it ends, RFC 3339.
             * @default null
             */
            expires: string | null;
        } & Record<string, never>) & {
            /** @description Its name, which is the client id of whoever uses it. */
            name: string;
        };
        /**
         * @description Where a key stands.
         * @enum {string}
         */
        KeyOrigin: "config" | "api";
        /** @description A key as the API shows it. */
        KeyView: components["schemas"]["Grant"] & {
            /** @description Its name. */
            name: string;
            /** @description Where it stands. */
            origin: components["schemas"]["KeyOrigin"];
        };
        /** @description `servers[].harden.landlock`: full paths of folders and files, with all below them. */
        Landlock: {
            /**
             * @description What may be read and executed, besides the system's own programs and libraries.
             * @default []
             */
            read: string[];
            /**
             * @description What may be read, executed and written.
             * @default []
             */
            write: string[];
        };
        /** @description The last failure of a hook. */
        LastError: {
            /** @description `SCRIPT_ERROR`, `TIMEOUT` or `EXECUTION_ERROR`. */
            code: string;
            /** @description What went wrong. */
            message: string;
            /**
             * Format: int32
             * @description Where in the script, from 1.
             */
            line?: number | null;
            /**
             * Format: int32
             * @description Where in that line, from 1.
             */
            column?: number | null;
            /**
             * Format: int64
             * @description When, in milliseconds since 1970.
             */
            at: number;
        };
        /** @description The last session that a schedule started. */
        LastSession: {
            /** @description Its id. */
            sessionId: string;
            /** @description Where it stands. */
            status: components["schemas"]["SessionStatus"];
            /**
             * Format: int64
             * @description When it was started, in milliseconds since 1970.
             */
            startedAt: number;
        };
        /** @description What is different in a list. */
        ListChange: {
            /** @description Items that only the second version has. */
            added: Record<string, never>[];
            /** @description Items that only the first version has. */
            removed: Record<string, never>[];
            /** @description Items that are another than before. */
            changed: components["schemas"]["ItemChange"][];
            /** @description Items that stand in another order than before. */
            moved: string[];
        };
        /** @description A tool as the REST API lists it. */
        ListedTool: {
            name: string;
            description: string;
            server: string;
            inputSchema: {
                [key: string]: unknown;
            };
            /** @description Null when the server gives none. */
            outputSchema?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int64
             * @description Milliseconds for one call.
             */
            timeout: number;
        };
        /** @description One hook that ran. */
        Mark: {
            /** @description Its name. */
            hook: string;
            /**
             * Format: int64
             * @description Its version, which counts its changes.
             */
            version: number;
            /** @description `pre` or `post`. */
            phase: string;
            /** @description What came of it. */
            verdict: string;
            /**
             * Format: int64
             * @description How long it ran, in microseconds.
             */
            durationUs: number;
        };
        /**
         * @description What becomes of times that passed while the gateway was down.
         * @enum {string}
         */
        Missed: "skip" | "once";
        /** @description A key that was just made. This is the only time that it is shown. */
        NewKey: components["schemas"]["KeyView"] & {
            /** @description The key itself. */
            key: string;
        };
        /**
         * @description The kinds of nodes that are built in; plug-ins add others.
         * @enum {string}
         */
        NodeKind: "start" | "end" | "mcp-call" | "hook" | "condition" | "variable" | "activity";
        /** @description What one node of a run did. */
        NodeRun: {
            state: components["schemas"]["NodeState"];
            /** Format: int64 */
            startedAt: number | null;
            /** Format: int64 */
            completedAt: number | null;
            /** Format: int64 */
            durationMs: number | null;
            /**
             * Format: int64
             * @description When it began, in microseconds after the run did.
             */
            startedMicros?: number | null;
            /**
             * Format: int64
             * @description How long it took, in microseconds.
             */
            micros?: number | null;
            /** @description Whether the reply came from the cache, of a call on terms. */
            cached?: boolean | null;
            /**
             * Format: int32
             * @description How often the call was made, of a call on terms.
             */
            attempts?: number | null;
            /** @description What came of it. */
            result: unknown;
            /** @description Why it failed. */
            error: string | null;
            /** @description What its script wrote. */
            console?: components["schemas"]["ConsoleLine"][] | null;
            /** @description What it changed: `params`, `response`, `shared`, `variables`. */
            changes?: Record<string, never> | null;
        };
        /**
         * @description How far a node of a run is; `skipped` is one that was not run.
         * @enum {string}
         */
        NodeState: "running" | "completed" | "error" | "skipped";
        /** @description One kind of node. */
        NodeType: {
            /** @description Its word in `type`. */
            name: string;
            /** @description What people call it. */
            label: string;
            /** @description What it does. */
            description: string;
            /**
             * Format: int32
             * @description How many edges lead to it.
             */
            inputs: number;
            /** @description How many edges may leave it: a number, or `many`. */
            outputs: unknown;
            /** @description The JSON Schema of its `data`. */
            schema: Record<string, never>;
            /** @description Whether a plug-in adds it. */
            plugin: boolean;
        };
        /**
         * @description What a failing script does to the request.
         * @enum {string}
         */
        OnError: "continue" | "stop";
        /**
         * @description What happens when a wait is over without its event.
         * @enum {string}
         */
        OnTimeout: "fail" | "continue";
        /**
         * @description What happens to a step that was under way when the process died.
         * @enum {string}
         */
        OnUnknown: "retry" | "ask" | "fail";
        /** @description An order of all hooks. */
        Order: {
            /** @description Every id exactly once, in the order in which the hooks shall run. */
            ids: string[];
        };
        /**
         * @description Where a server's definition stands.
         * @enum {string}
         */
        Origin: "config" | "api";
        /** @description Something that a template asks for. */
        Parameter: {
            /** @description Its key in `parameters`. */
            name: string;
            /** @description What it is. */
            type: components["schemas"]["ParameterType"];
            /** @description What it is for. */
            description: string;
            /** @description Whether it must be given; one with a default need not be. */
            required: boolean;
            /** @description What it is when it is left out. */
            default?: unknown;
        };
        /**
         * @description What a parameter is.
         * @enum {string}
         */
        ParameterType: "string" | "number" | "boolean" | "list" | "object";
        /** @description A branch that an expression decides. */
        PredicateBranch: {
            /** @description The expression. */
            when: string;
            /** @description The tool that is offered. */
            call: string;
            /** @description What it is to be called with. */
            with?: Record<string, never>;
            /** @description What it is for. */
            description?: string | null;
        };
        /** @description Requests per second. */
        Rate: {
            /**
             * Format: int64
             * @description How many a second; 0 for no limit.
             * @default 0
             */
            perSecond: number;
            /**
             * Format: int64
             * @description How many at once after a pause; as many as in a second when 0.
             * @default 0
             */
            burst: number;
        };
        /**
         * @description `servers[].oauth`: what the gateway is known as at the issuer of a remote server. Without it the gateway
         *     introduces itself.
         */
        Registration: {
            /**
             * @description Its id there, where it was registered by hand.
             * @default null
             */
            clientId: string | null;
            /**
             * @description The secret that goes with the id.
             * @default null
             */
            clientSecret: string | null;
            /**
             * @description A private key in PEM (PKCS#8) in place of the secret.
             * @default null
             */
            privateKey: string | null;
            /**
             * @description The issuer that may see these credentials; the first one that the server names when absent.
             * @default null
             */
            issuer: string | null;
            /**
             * @description What is asked for; what the server says when empty.
             * @default []
             */
            scopes: string[];
            /**
             * @description How tokens are got.
             * @default authorization-code
             */
            grant: components["schemas"]["GrantType"];
        };
        /** @description Some requests, the newest first. */
        RequestPage: {
            /** @description The requests. */
            requests: components["schemas"]["RequestView"][];
            /**
             * Format: int64
             * @description What `before` must be for older ones; `null` when there are none.
             */
            next?: number | null;
        };
        /** @description One request as the log shows it. */
        RequestView: {
            /**
             * Format: int64
             * @description Its number; numbers grow.
             */
            id: number;
            /**
             * Format: int64
             * @description When it ended, in milliseconds since 1970.
             */
            at: number;
            /** @description `rest`, `http`, `sse` or `stdio`. */
            way: string;
            /** @description The client id. */
            client: string;
            /** @description Its method. */
            method: string;
            /** @description The server it went to. */
            server?: string | null;
            /** @description The tool that was called. */
            tool?: string | null;
            /** @description `ok`, a code, or `CANCELLED`. */
            outcome: string;
            /**
             * Format: int64
             * @description How long it took, in microseconds.
             */
            durationUs: number;
            /**
             * Format: int64
             * @description How long its server took, in microseconds; `null` when none was asked.
             */
            serverUs?: number | null;
            /**
             * Format: int64
             * @description How long hooks and nodes took, with the way to their worker and back, in microseconds.
             */
            hooksUs: number;
            /** @description The hooks that ran. */
            hooks: components["schemas"]["Mark"][];
            /** @description The trace it belongs to, where it was traced or the client named one. */
            traceId?: string | null;
        };
        /** @description How often an activity is tried. */
        Retry: {
            /**
             * Format: int32
             * @description The most executions.
             */
            maxAttempts: number;
            /**
             * Format: int64
             * @description Milliseconds after the first failure; doubled after each further one.
             */
            backoffMs?: number;
            /** @description Whether callbacks run for every attempt. */
            hooksPerAttempt?: boolean;
        };
        /**
         * @description What a key may do on the admin routes; each role may do what those before it may.
         * @enum {string}
         */
        Role: "viewer" | "editor" | "operator";
        /** @description What an activity does: exactly one of the kinds. */
        Run: {
            /** @description The body of an async function of `context`. */
            script: string;
        } | {
            /** @description A tool of a server. */
            tool: components["schemas"]["ToolRun"];
        } | {
            /** @description An HTTP request. */
            http: components["schemas"]["HttpRun"];
        } | {
            /** @description Another session workflow, from start to end. */
            workflow: components["schemas"]["WorkflowRun"];
        };
        /** @description One pass of a request through a graph (spec 3.6). */
        RunRecord: {
            id: string;
            /** @description The workflow whose graph it passed. */
            workflowId: string;
            workflowName: string;
            status: components["schemas"]["RunStatus"];
            /**
             * Format: int64
             * @description When it began, in milliseconds since 1970.
             */
            executedAt: number;
            /**
             * Format: int64
             * @description How long it took, or takes so far.
             */
            durationMs: number;
            /**
             * Format: int64
             * @description The revision of the workflow that it passed.
             */
            version: number;
            /** @description The context with which it began, secrets masked. */
            context: Record<string, never>;
            /** @description What the call brought back, secrets masked. */
            mcpResult: unknown;
            /** @description Why it failed. */
            error: string | null;
            /** @description Whether the plain request was made in the place of a graph that failed. */
            bypassed?: boolean | null;
            /** @description What every node did, by its id. */
            results: {
                [key: string]: components["schemas"]["NodeRun"];
            };
        };
        /**
         * @description How far a run is.
         * @enum {string}
         */
        RunStatus: "running" | "completed" | "error" | "cancelled";
        /** @description A step that was begun and has not ended. */
        RunningStep: {
            /** @description Which step. */
            stepIndex: number;
            /**
             * Format: int64
             * @description When it began.
             */
            since: number;
        };
        /** @description Something that a template is to ask for. */
        SavedParameter: {
            /** @description Letters, digits and `_`, no digit first. */
            name: string;
            /** @description `string`, `number`, `boolean`, `list` or `object`. */
            type: string;
            /** @description What it is for. */
            description?: string | null;
            /** @description Whether it must be given; by default when it has no default. */
            required?: boolean | null;
            /** @description What it is when it is left out. */
            default?: unknown;
            /**
             * @description Where its value stands in the definition, as JSON pointers such as `/nodes/1/data/label`. What stands there
             *     becomes the default.
             */
            at?: string[] | null;
        };
        /** @description A workflow to be saved as a template, or a template as `export` gives it. */
        SavedTemplate: {
            /** @description The workflow to be saved; without one `workflow` is. */
            workflowId?: string | null;
            /** @description What people call it; by default the name of the workflow. */
            name?: string | null;
            /** @description What it does; by default the description of the workflow. */
            description?: string | null;
            /** @description What it asks for. */
            parameters?: components["schemas"]["SavedParameter"][] | null;
            /** @description The definition of a workflow, where no `workflowId` is given. */
            workflow?: Record<string, never> | null;
        };
        /** @description When a session workflow is started, and with what: one of `at`, `everyMs` and `cron`. */
        Schedule: {
            /** @description The session workflow. */
            workflowName: string;
            /** @description The input of every start. */
            input?: Record<string, never>;
            /**
             * Format: int64
             * @description Once, at this moment in milliseconds since 1970; a text in RFC 3339 is taken too.
             */
            at?: number | null;
            /**
             * Format: int64
             * @description At this interval in milliseconds, counted from the creation.
             */
            everyMs?: number | null;
            /** @description By this cron expression of five fields. */
            cron?: string | null;
            /** @description The time zone of `cron`, such as `Europe/Berlin`; UTC by default. */
            timeZone?: string | null;
            /** @description Whether it starts nothing for now. */
            paused?: boolean;
            /** @description What becomes of times that passed while the gateway was down. */
            missed?: components["schemas"]["Missed"];
            /** @description Whether a session is started while the last one is open. */
            overlap?: boolean;
        };
        /** @description A schedule as the admin API shows it. */
        ScheduleView: components["schemas"]["Schedule"] & {
            /** @description Given by the gateway. */
            id: string;
            /** @description The next times, in milliseconds since 1970; none while it is paused and when there are no more. */
            next: number[];
            lastSession?: components["schemas"]["LastSession"] | null;
            /** @description Why its times would pass unused, or the last one did. */
            reason?: string | null;
            /**
             * Format: int64
             * @description When it was created, in milliseconds since 1970.
             */
            createdAt: number;
            /**
             * Format: int64
             * @description When it was last changed, in milliseconds since 1970; a start is no change.
             */
            updatedAt: number;
        };
        /**
         * @description For whom a process of a server works.
         * @enum {string}
         */
        Scope: "shared" | "client";
        /** @description How one server is started, as the user writes it. */
        ServerEntry: {
            /** @description Unique among all servers; `^[a-zA-Z0-9-_]+$`, at most 50 characters. */
            name?: string;
            /** @description The program: absolute, relative, or found on `PATH`. */
            command?: string | null;
            /** @description Its arguments: a list, or one string split on white space. No shell, no quoting. */
            args?: components["schemas"]["Args"];
            /** @description Environment variables as a list. */
            envs?: components["schemas"]["EnvVar"][];
            /** @description Environment variables as a map, under the same rules. */
            env?: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description Milliseconds for one call.
             */
            timeout?: number | null;
            /** @description Whether a failed first start ends the gateway; overrides `startup.onServerFailure`. */
            required?: boolean | null;
            /** @description Names of the gateway's own variables that this child receives; overrides the global list. */
            inheritEnv?: string[] | null;
            /** @description Address of a remote server; instead of `command`. */
            url?: string | null;
            /** @description Headers that every request to `url` carries; values may hold `${NAME}` in the config file. */
            headers?: {
                [key: string]: string;
            };
            /** @description Whether all clients share one process, or each session has its own. */
            scope?: components["schemas"]["Scope"];
            /**
             * Format: int64
             * @description Milliseconds without a request after which a client's own process is ended.
             */
            idleTimeout?: number | null;
            /** @description The folder in which the program starts; the gateway's own when absent. */
            cwd?: string | null;
            harden?: components["schemas"]["Harden"] | null;
            limits?: components["schemas"]["ServerLimits"] | null;
            oauth?: components["schemas"]["Registration"] | null;
        };
        /** @description Counts and times of one server. */
        ServerFigures: {
            /** @description Its name. */
            name: string;
            /** @description Its state. */
            status: components["schemas"]["Status"];
            /**
             * Format: int64
             * @description How often it was started again.
             */
            restarts: number;
            /**
             * Format: int64
             * @description Calls that reached it.
             */
            calls: number;
            /**
             * Format: int64
             * @description Those of them that failed.
             */
            errors: number;
            /**
             * Format: int64
             * @description Half of its calls took at most this long, in microseconds.
             */
            p50Us: number;
            /**
             * Format: int64
             * @description All but one in twenty took at most this long, in microseconds.
             */
            p95Us: number;
            /** @description Its tools that were called. */
            tools: components["schemas"]["ToolFigures"][];
            change?: components["schemas"]["ToolChange"] | null;
        };
        /** @description `servers[].limits`. */
        ServerLimits: {
            /**
             * @description Calls per second.
             * @default {
             *       "perSecond": 0,
             *       "burst": 0
             *     }
             */
            rate: components["schemas"]["Rate"];
            /**
             * Format: int64
             * @description Calls at a time; 0 for no limit.
             * @default 0
             */
            concurrency: number;
            /**
             * Format: int64
             * @description Calls that may wait for one of those to end.
             * @default 0
             */
            queue: number;
            /**
             * @description When the server is left alone for a while.
             * @default {
             *       "failures": 0,
             *       "openMs": 30000
             *     }
             */
            breaker: components["schemas"]["Breaker"];
            /**
             * @description The same for single tools, by their names.
             * @default {}
             */
            tools: {
                [key: string]: components["schemas"]["Bounds"];
            };
        };
        /** @description A server as the admin API shows it: never its command, environment or address. */
        ServerView: {
            /** @description Its name. */
            name: string;
            /** @description Its state. */
            status: components["schemas"]["Status"];
            /** @description Where its definition stands. */
            origin: components["schemas"]["Origin"];
            /** @description Why it is not running, or what went wrong last. */
            lastError?: string | null;
            /** @description Whether somebody must sign in to it first: see `POST /api/servers/{name}/sign-in`. */
            needsSignIn: boolean;
            /**
             * Format: int32
             * @description Exit code of the child that crashed last.
             */
            exitCode?: number | null;
            /**
             * Format: int32
             * @description Process id of the child; a remote server has none.
             */
            pid?: number | null;
            /** @description `legacy` or `modern`, once known. */
            era?: string | null;
            /** @description `stdio`, `streamable-http` or `sse`, once known. */
            transport?: string | null;
            /** @description The revision of MCP in use, once known. */
            protocolVersion?: string | null;
            /**
             * Format: int64
             * @description When the child became ready, in epoch milliseconds.
             */
            startedAt?: number | null;
            /**
             * Format: int64
             * @description How often it was started again.
             */
            restarts: number;
            /** @description How many tools it has. */
            tools: number;
            /**
             * Format: int64
             * @description Milliseconds for one call, where the definition says so.
             */
            timeout?: number | null;
            /** @description Whether the gateway refuses to start without it, where the definition says so. */
            required?: boolean | null;
            /** @description `shared`, or `client` when each client session has a process of its own. */
            scope: components["schemas"]["Scope"];
            /** @description How many clients have a process of their own now; `null` where all share one. */
            clients?: number | null;
        };
        /** @description How many sessions there are. */
        SessionStats: {
            /**
             * Format: int64
             * @description All of them.
             */
            total: number;
            /** @description By status; those without sessions are 0. */
            byStatus: {
                [key: string]: number;
            };
            /** @description By the name of the workflow. */
            byWorkflow: {
                [key: string]: number;
            };
        };
        /**
         * @description Where a session stands.
         * @enum {string}
         */
        SessionStatus: "pending" | "running" | "paused" | "completed" | "failed" | "cancelled";
        /** @description How the tools of a session workflow are shown. */
        SessionTools: {
            /** @description Those that are shown; `start` and `continue` always are. */
            expose?: components["schemas"]["Face"][] | null;
            /** @description Other titles. */
            titles?: {
                [key: string]: string;
            };
        };
        /** @description A key to sign in with. */
        SignIn: {
            /** @description The key. */
            key: string;
        };
        /** @description Who is signed in. */
        SignedIn: {
            /** @description Whether there are keys at all; without any, everybody may do everything. */
            keys: boolean;
            /** @description The name of the key; absent without keys. */
            name?: string | null;
            role?: components["schemas"]["Role"] | null;
        };
        /** @description A script to be checked. */
        Source: {
            /** @description The body of an async function. */
            script: string;
        };
        /**
         * @description The state of a server, as `/health`, errors and the UI name it.
         * @enum {string}
         */
        Status: "starting" | "running" | "restarting" | "stopped" | "crashed";
        /** @description One step: an activity, or a group of steps that run at the same time. */
        Step: {
            /** @description The name of the activity; empty for a group. */
            activity?: string;
            /** @description The members of a group. */
            parallel?: components["schemas"]["Step"][];
            /** @description Constant input. */
            input?: Record<string, never> | null;
            /** @description Whether its failure is passed over. */
            optional?: boolean;
            /** @description An expression over `memory` and `input`; false passes the step over. */
            condition?: string | null;
            /** @description An expression over `previous`, `memory` and `input` that gives the input. */
            inputMapper?: string | null;
            branches?: components["schemas"]["Branches"] | null;
            approve?: components["schemas"]["Approve"] | null;
            waitFor?: components["schemas"]["WaitFor"] | null;
            /** @description The activity that undoes it. */
            compensate?: string | null;
            onUnknown?: components["schemas"]["OnUnknown"] | null;
        };
        /** @description One step of a session, with every time that it ran. */
        StepDetail: {
            /** @description Which step. */
            stepIndex: number;
            /** @description Who allowed it, where somebody had to. */
            allowedBy?: string | null;
            /** @description What ran, in order: one of each member of a group, and what undid them. */
            executions: components["schemas"]["ExecutionDetail"][];
        };
        /** @description One step that was run. */
        StepExecution: {
            /** @description Which step. */
            stepIndex: number;
            /** @description Its activity. */
            activityName: string;
            /**
             * Format: int64
             * @description When it began.
             */
            startedAt: number;
            /**
             * Format: int64
             * @description When it ended.
             */
            completedAt: number;
            /** @description Whether it succeeded. */
            success: boolean;
            /** @description Why it failed. */
            error?: string | null;
            /** @description The options that were offered after it. */
            branchOptions?: components["schemas"]["BranchOption"][] | null;
            /** @description Whether it undid the step. */
            compensation?: boolean;
        };
        /** @description A template, in the form in which it is exported, imported and kept. */
        Template: {
            /** @description What people call it. */
            name: string;
            /** @description What it does. */
            description: string;
            /** @description What it asks for. */
            parameters: components["schemas"]["Parameter"][];
            /**
             * @description The definition of a workflow of any type. `{"$parameter": "<name>"}` in it is replaced by a value, and
             *     scripts read `parameters.<name>`.
             */
            workflow: Record<string, never>;
        };
        /**
         * @description Where a template comes from.
         * @enum {string}
         */
        TemplateSource: "shipped" | "own" | "catalogue";
        /** @description A template as the admin API shows it. */
        TemplateView: {
            /** @description Its name in paths. */
            id: string;
            /** @description Where it comes from. */
            source: components["schemas"]["TemplateSource"];
            /** @description What people call it. */
            name: string;
            /** @description What it does. */
            description: string;
            workflowType?: components["schemas"]["WorkflowType"] | null;
            /** @description What it asks for. */
            parameters: components["schemas"]["Parameter"][];
            /** @description The definition with its places for parameters; lists leave it out. */
            workflow?: Record<string, never> | null;
            /**
             * Format: int64
             * @description When it was saved, in milliseconds since 1970.
             */
            createdAt?: number | null;
            /** @description Why it cannot be used. */
            error?: string | null;
        };
        /** @description What holds for a session workflow as a whole, besides its name and its steps. */
        Terms: {
            /**
             * Format: int64
             * @description Milliseconds for the whole.
             */
            timeout?: number | null;
            timeoutScope?: components["schemas"]["TimeoutScope"] | null;
            tools?: components["schemas"]["SessionTools"] | null;
            /** @description A script that runs when it has succeeded. */
            onSuccess?: string | null;
            /** @description A script that runs when it has failed. */
            onFailure?: string | null;
            /** @description A script that runs last, whatever came of it. */
            onComplete?: string | null;
        };
        /**
         * @description Which time counts for the timeout of a session workflow.
         * @enum {string}
         */
        TimeoutScope: "wall" | "active";
        /** @description The difference between two lists of tools. */
        ToolChange: {
            /**
             * Format: int64
             * @description When the newer list came, in milliseconds since 1970.
             */
            at: number;
            /** @description Names that are new. */
            added: string[];
            /** @description Names that are gone. */
            removed: string[];
            /** @description Names whose definition is another. */
            changed: string[];
        };
        /** @description Counts and times of one tool. */
        ToolFigures: {
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description Calls that reached the server.
             */
            calls: number;
            /**
             * Format: int64
             * @description Those of them that failed.
             */
            errors: number;
            /** @description The failures by their codes. */
            codes: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description Half of its calls took at most this long, in microseconds.
             */
            p50Us: number;
            /**
             * Format: int64
             * @description All but one in twenty took at most this long, in microseconds.
             */
            p95Us: number;
        };
        /** @description The reply of a tool. */
        ToolReply: {
            /** @description Its content: one text part. */
            content: Record<string, never>[];
            /** @description What it says, as data. */
            structuredContent?: Record<string, never> | null;
            /** @description Whether it is an error. */
            isError?: boolean | null;
        };
        /** @description A tool of a server. */
        ToolRun: {
            /** @description The name of the server. */
            server: string;
            /** @description The name of its tool. */
            name: string;
        };
        /** @description The list of tools. */
        ToolsReply: {
            /** @description Always true. */
            success: boolean;
            tools: components["schemas"]["ListedTool"][];
        };
        /** @description What a script made of a sample. */
        Trial: {
            /** @description The phase it ran in. */
            phase: string;
            /**
             * @description What it returned, with `continue` where it left that out: `{continue, context?, response?, error?}`; null when it
             *     failed.
             */
            verdict: unknown;
            /** @description The context it was given. */
            before: unknown;
            /** @description The context as it left it. */
            after: unknown;
            /** @description Whether the two differ. */
            changed: boolean;
            /** @description What it wrote to the console. */
            console: components["schemas"]["ConsoleLine"][];
            /**
             * Format: double
             * @description How long it ran, in milliseconds.
             */
            duration: number;
            /**
             * Format: int64
             * @description The most bytes it held at one time.
             */
            memory: number;
            error?: components["schemas"]["TrialError"] | null;
        };
        /** @description Why a script failed. */
        TrialError: {
            /** @description `SCRIPT_ERROR`, `TIMEOUT` or `EXECUTION_ERROR`. */
            code: string;
            /** @description What happened. */
            message: string;
            /**
             * Format: int32
             * @description Where in the script, from 1.
             */
            line?: number | null;
            /**
             * Format: int32
             * @description Where in that line, from 1.
             */
            column?: number | null;
            /** @description The limit that stopped it: `time`, `memory`, `stack`, `output`, … */
            limit?: string | null;
        };
        /** @description A member of a group of which nobody knows whether it took effect. */
        UncertainMember: {
            /** @description Its activity. */
            activityName: string;
            /** @description What it was run with. */
            input: Record<string, never>;
        };
        /** @description Whether a script compiles. */
        Validity: {
            /** @description Whether it does. */
            valid: boolean;
            /** @description Why it does not. */
            error?: string | null;
            /**
             * Format: int32
             * @description Where in the script, from 1.
             */
            line?: number | null;
            /**
             * Format: int32
             * @description Where in that line, from 1.
             */
            column?: number | null;
        };
        /** @description What is wrong with a definition. */
        Verdict: {
            /** @description Whether it could be activated. */
            valid: boolean;
            /** @description Everything that was found, the reason first. */
            problems: Record<string, never>[];
        };
        /** @description What is different in the newer of two versions. */
        VersionDiff: {
            /**
             * Format: int64
             * @description The number of the first version.
             */
            from: number;
            /**
             * Format: int64
             * @description The number of the second version.
             */
            to: number;
            /** @description Fields of the workflow itself, such as its name. */
            fields: components["schemas"]["FieldChange"][];
            /** @description Its nodes, by their ids. */
            nodes: components["schemas"]["ListChange"];
            /** @description Its edges, by their ids or by the nodes that they connect. */
            edges: components["schemas"]["ListChange"];
            steps?: components["schemas"]["ListChange"] | null;
        };
        /** @description One version of a workflow, as lists show it. */
        VersionView: {
            /**
             * Format: int64
             * @description Its number.
             */
            version: number;
            /** @description The name that the workflow had. */
            name: string;
            /** @description Whether it is the one in use. */
            current: boolean;
            /**
             * Format: int64
             * @description When it was made, in milliseconds since 1970.
             */
            madeAt: number;
        };
        /** @description The part of a graph that an editor shows, as React Flow saves it. */
        Viewport: {
            /**
             * Format: double
             * @description How far it was moved to the right.
             */
            x: number;
            /**
             * Format: double
             * @description How far it was moved down.
             */
            y: number;
            /**
             * Format: double
             * @description How much it is enlarged.
             */
            zoom: number;
        };
        /** @description The event that lets a step run. */
        WaitFor: {
            /** @description Its name. */
            event: string;
            /** @description An expression over `event`, `memory` and `input`; without one every event of the name will do. */
            filter?: string | null;
            /**
             * Format: int64
             * @description Milliseconds of waiting.
             */
            timeoutMs?: number | null;
            /** @description What happens when they are over. */
            onTimeout?: components["schemas"]["OnTimeout"];
        };
        /** @description What an open session waits for. */
        Waiting: {
            /** @description Which step. */
            stepIndex: number;
            /** @description Its activity. */
            activityName: string;
            /** @description What it would be run with. */
            input: Record<string, never>;
            /** @description Names exactly this question; an answer carries it. */
            digest: string;
            /** @description What the one who decides is told. */
            message?: string | null;
            /**
             * Format: int64
             * @description When the question was asked.
             */
            since: number;
            /**
             * Format: int64
             * @description When it is void.
             */
            expiresAt?: number | null;
            /** @description Whether it is answered over the API or in the web UI only. */
            apiOnly?: boolean;
            /** @enum {string} */
            for: "approval";
        } | {
            /** @description Which step. */
            stepIndex: number;
            /** @description Its activity. */
            activityName: string;
            /** @description The name of the event. */
            event: string;
            /**
             * Format: int64
             * @description Since when.
             */
            since: number;
            /**
             * Format: int64
             * @description When the waiting is over.
             */
            until?: number | null;
            /** @enum {string} */
            for: "event";
        } | {
            /** @description Which step. */
            stepIndex: number;
            /** @description Its activity. */
            activityName: string;
            /** @description That session; of several, the first that has not ended. */
            sessionId: string;
            /** @description All that have not ended, where they are several: members of a group. */
            sessionIds?: string[];
            /** @enum {string} */
            for: "session";
        } | {
            /** @description Which step. */
            stepIndex: number;
            /** @description Its activity. */
            activityName: string;
            /** @description What it was run with; of a group, the first member that is uncertain. */
            input: Record<string, never>;
            /** @description The members that are uncertain, where the step is a group. */
            members?: components["schemas"]["UncertainMember"][];
            /** @description What may be chosen. */
            choices: string[];
            /**
             * Format: int64
             * @description Since when; names exactly this doubt, and an answer may carry it.
             */
            since?: number;
            /** @enum {string} */
            for: "uncertain";
        };
        /** @description A workflow as it is kept. Nodes and edges come back as they were written, unknown keys included. */
        Workflow: components["schemas"]["Terms"] & {
            /** @description Given by the gateway. */
            id: string;
            /** @description Not blank. */
            name: string;
            /** @description What it is for. */
            description?: string | null;
            /** @description Which requests pass through it. */
            workflowType: components["schemas"]["WorkflowType"];
            /** @description Whether it is active; one graph of a type is. */
            enabled: boolean;
            /** @description Its nodes. */
            nodes: Record<string, never>[];
            /** @description Its edges. */
            edges: Record<string, never>[];
            viewport?: components["schemas"]["Viewport"] | null;
            /**
             * Format: int64
             * @description When it was created, in milliseconds since 1970.
             */
            createdAt: number;
            /**
             * Format: int64
             * @description When its definition was last changed, in milliseconds since 1970.
             */
            updatedAt: number;
            /**
             * Format: int64
             * @description Counts the changes of its definition, from 1; runs name it.
             */
            revision: number;
        };
        /** @description What a user gives to create a workflow. */
        WorkflowDraft: {
            /** @description Not blank; under the rule for names for a session workflow. */
            name: string;
            /** @description What it is for. */
            description?: string | null;
            /** @description Which requests pass through it, or session. */
            workflowType: components["schemas"]["WorkflowType"];
            /** @description Whether it is to be activated at once; false by default. */
            enabled?: boolean | null;
            /** @description The steps of a session workflow, in order: shorthand for nodes and edges; given besides them it must be theirs. */
            steps?: components["schemas"]["Step"][] | null;
            /** @description Its nodes. */
            nodes?: Record<string, never>[] | null;
            /** @description Its edges. */
            edges?: Record<string, never>[] | null;
            viewport?: components["schemas"]["Viewport"] | null;
            /**
             * Format: int64
             * @description Milliseconds for the whole of a session.
             */
            timeout?: number | null;
            timeoutScope?: components["schemas"]["TimeoutScope"] | null;
            tools?: components["schemas"]["SessionTools"] | null;
            /** @description A script that runs when a session has succeeded. */
            onSuccess?: string | null;
            /** @description A script that runs when a session has failed. */
            onFailure?: string | null;
            /** @description A script that runs last, whatever came of a session. */
            onComplete?: string | null;
        };
        /** @description What a user gives to change a workflow: the fields that change. */
        WorkflowPatch: {
            /** @description Another name. */
            name?: string | null;
            /** @description Another description; null takes it away. */
            description?: string | null;
            workflowType?: components["schemas"]["WorkflowType"] | null;
            /** @description Whether it is to be active. */
            enabled?: boolean | null;
            /** @description The steps of a session workflow, in order: shorthand for nodes and edges; given besides them it must be theirs. */
            steps?: components["schemas"]["Step"][] | null;
            /** @description Its nodes. */
            nodes?: Record<string, never>[] | null;
            /** @description Its edges. */
            edges?: Record<string, never>[] | null;
            viewport?: components["schemas"]["Viewport"] | null;
            /**
             * Format: int64
             * @description Milliseconds for the whole of a session.
             */
            timeout?: number | null;
            timeoutScope?: components["schemas"]["TimeoutScope"] | null;
            tools?: components["schemas"]["SessionTools"] | null;
            /** @description A script that runs when a session has succeeded. */
            onSuccess?: string | null;
            /** @description A script that runs when a session has failed. */
            onFailure?: string | null;
            /** @description A script that runs last, whatever came of a session. */
            onComplete?: string | null;
        };
        /** @description Another session workflow. */
        WorkflowRun: {
            /** @description Its name. */
            name: string;
        };
        /** @description One execution of a session workflow. What only grows is shared, so that a copy costs little however long it is. */
        WorkflowSession: {
            /** @description Its id. */
            sessionId: string;
            /** @description The name of the workflow. */
            workflowName: string;
            /** @description Who started it. */
            clientId: string;
            /** @description Where it stands. */
            status: components["schemas"]["SessionStatus"];
            /** @description The index of the last step that was run. */
            currentStep: number;
            /** @description The number of steps. */
            totalSteps: number;
            /** @description What was remembered. */
            memory: Record<string, never>;
            /**
             * Format: int64
             * @description When it was started, in milliseconds since 1970.
             */
            startedAt: number;
            /**
             * Format: int64
             * @description When it was finished.
             */
            completedAt?: number | null;
            /** @description Why it failed. */
            error?: string | null;
            /** @description The steps that were run. */
            history: components["schemas"]["StepExecution"][];
            /** @description The tools that were chosen. */
            branchHistory: components["schemas"]["BranchDecision"][];
            /** @description Which way was taken at each condition of its graph. */
            decisions?: components["schemas"]["Decision"][];
            waiting?: components["schemas"]["Waiting"] | null;
            running?: components["schemas"]["RunningStep"] | null;
            /** @description The session that runs it as a step. */
            parentSessionId?: string | null;
            /** @description The schedule that started it. */
            scheduleId?: string | null;
            /**
             * Format: int64
             * @description The version of the workflow that it stays on.
             */
            workflowVersion?: number | null;
            compensation?: components["schemas"]["Compensation"] | null;
        };
        /**
         * @description What a workflow is for: the method of the requests that pass through it, or sessions.
         * @enum {string}
         */
        WorkflowType: "tools/list" | "tools/call" | "session";
        /** @description A workflow as the admin API shows it. */
        WorkflowView: components["schemas"]["Workflow"] & {
            /** @description The steps of a session workflow, as its graph has them. */
            steps?: components["schemas"]["Step"][] | null;
            /** @description Where it comes from. */
            source: components["schemas"]["DefinitionSource"];
            /** @description Whether it could be activated. */
            valid: boolean;
            /** @description Why it could not. */
            reason?: string | null;
            /** @description What is wrong where it is active and cannot run on this instance: every request of its type fails with this. */
            problem?: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    resourceMetadataAtRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description RFC 9728 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no tokens are taken here */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    resourceMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description RFC 9728 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no tokens are taken here */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listActivities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityView"][];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    createActivity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Activity"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityView"];
                };
            };
            /** @description `VALIDATION_ERROR`: nothing was stored */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: the name is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getActivity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityView"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    deleteActivity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it stands in the config file, or is in use */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    changeActivity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change it only if it is at this revision */
                "If-Match"?: string | null;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityView"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it stands in the config file, or is at another revision */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description `call`, `change`, `refusal`, `lost` or `trim` */
                kind?: string;
                /** @description Those of this client */
                who?: string;
                /** @description Those done to this: `server/tool`, or a path */
                subject?: string;
                /** @description Those before this number */
                before?: number;
                /** @description 1 to 1000, 100 by default */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditView"][];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                /** @description Those after this number */
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listCaptures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capture"][];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    showConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Effective"];
                };
            };
            /** @description `VALIDATION_ERROR`: the file is wrong now, or not there */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    reloadConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changes"];
                };
            };
            /** @description `VALIDATION_ERROR`: what is wrong with the file */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    addDemoServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Kept; `status` says whether it runs */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerView"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it is there already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    events: {
        parameters: {
            query?: {
                /** @description `true`: requests of clients too. */
                requests?: boolean;
                /** @description `true`: runs while they are under way too. */
                running?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listHooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookView"][];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    createHook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookDraft"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookView"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: the name is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    importHooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Hooks in an array, under `hooks`, or one alone */
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookDraft"][];
            };
        };
        responses: {
            /** @description The new hooks, in the order of the body */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookView"][];
                };
            };
            /** @description `VALIDATION_ERROR`: nothing was imported */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    reorderHooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Order"];
            };
        };
        responses: {
            /** @description All hooks in their new order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookView"][];
                };
            };
            /** @description `VALIDATION_ERROR`: not every id exactly once */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    testDraft: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Draft"];
            };
        };
        responses: {
            /** @description Also when the script fails: then with `error` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trial"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such capture */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: the capture does not hold what the phase needs */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    hookTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/typescript": string;
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    validateHook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Source"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validity"];
                };
            };
            /** @description `VALIDATION_ERROR`: there is no script */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookView"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    deleteHook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Delete it only if it is at this version */
                "If-Match"?: string | null;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: a workflow uses the hook, or it is at another version */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    changeHook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change it only if it is at this version */
                "If-Match"?: string | null;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookView"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: the name is taken, or the hook is at another version */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    resetHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookView"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    testHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Draft"];
            };
        };
        responses: {
            /** @description Also when the script fails: then with `error` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookTrial"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such hook or capture */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: the capture does not hold what the phase needs */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"][];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyDraft"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: the name is taken, or it is the first key and no operator */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it stands in the config file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listNodeTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeType"][];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listRequests: {
        parameters: {
            query?: {
                /** @description Only those that went to this server. */
                server?: string;
                /** @description Only calls of this tool. */
                tool?: string;
                /** @description Only those of this method. */
                method?: string;
                /** @description Only those of this client. */
                client?: string;
                /** @description Only those that came in this way: `rest`, `http`, `sse` or `stdio`. */
                way?: string;
                /** @description `ok`, `error` for all that failed, or one code. */
                outcome?: string;
                /** @description Only the one that belongs to this trace. */
                traceId?: string;
                /** @description Only those with this text in client, method, server, tool or outcome, in any case. */
                text?: string;
                /** @description Only those that took at least so many milliseconds. */
                slower?: number;
                /** @description Only those older than the one of this number: the `next` of the answer before. */
                before?: number;
                /** @description At most so many: 1 to 500, 50 by default. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestPage"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Only those of this workflow. */
                workflowId?: string;
                /** @description Only those that are so far: `running`, `completed`, `error` or `cancelled`. */
                status?: string;
                /** @description Only calls of tools with this text in their name, in any case. */
                tool?: string;
                /** @description `true`: without what was sent, answered and changed. */
                brief?: boolean;
                /** @description At most so many: 1 to 500, 50 by default. */
                limit?: number;
                /** @description Without so many of the newest. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunRecord"][];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunRecord"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleView"][];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Schedule"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleView"];
                };
            };
            /** @description `VALIDATION_ERROR`: nothing was stored */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `TOOL_NOT_FOUND`: the key does not reach the workflow */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: there are as many as there may be */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleView"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    changeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleView"];
                };
            };
            /** @description `VALIDATION_ERROR`: nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerView"][];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    addServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerEntry"];
            };
        };
        responses: {
            /** @description Kept; `status` says whether it runs */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerView"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: the name is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    importServers: {
        parameters: {
            query?: {
                /** @description Change nothing */
                dryRun?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientConfig"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedServer"][];
                };
            };
            /** @description `VALIDATION_ERROR`: the text is no such configuration */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    removeServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it stands in the config file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    serverLogs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    restartServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `status` says whether it runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerView"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    signInToServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Begun"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: nobody can sign in to this server; the message says why */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    signOutOfServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: the server is not one to sign in to */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    whoAmI: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description `UNAUTHORIZED`: nobody is; a key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`: the key is not, or no longer, good */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Those of this workflow */
                workflowName?: string;
                /** @description Those in this status */
                status?: string;
                /** @description Those that this client started */
                clientId?: string;
                /** @description Those that run as steps of this session */
                parent?: string;
                /** @description Those that wait for `approval`, `event`, `session` or `uncertain`; `step`: those at work */
                waiting?: string;
                /** @description `true`: without what they remember */
                brief?: boolean;
                /** @description 1 to 1000, 50 by default */
                limit?: number;
                /** @description Without so many of the newest */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowSession"][];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    raiseEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivered"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    sessionStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionStats"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowSession"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    approveSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalBody"];
            };
        };
        responses: {
            /** @description The reply of the step, also when it is an error */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolReply"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it is paused */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    cancelSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The reply of the tool, also when it is an error */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolReply"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    continueSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The reply of the tool, also when it is an error */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolReply"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    pauseSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description The reply of the tool, also when it is an error */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolReply"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getSessionStep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                /** @description Which step; the first is 0 */
                index: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepDetail"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such session, or no such step */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    stats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Figures"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateView"][];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    saveTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SavedTemplate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateView"];
                };
            };
            /** @description `VALIDATION_ERROR`: nothing was saved */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such workflow */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    importTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Template"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateView"];
                };
            };
            /** @description `VALIDATION_ERROR`: nothing was imported */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateView"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it is not your own */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    createFromTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FromTemplate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowView"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such template */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    exportTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listWorkflows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowView"][];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    createWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowDraft"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowView"];
                };
            };
            /** @description `VALIDATION_ERROR`: nothing was stored */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it cannot be activated; nothing was stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    importWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowDraft"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowView"];
                };
            };
            /** @description `VALIDATION_ERROR`: nothing was imported */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    validateWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowDraft"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verdict"];
                };
            };
            /** @description `VALIDATION_ERROR`: the body is no JSON object */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowView"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    deleteWorkflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Delete it only if it is at this revision */
                "If-Match"?: string | null;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it is at another revision, an activity runs it, or open sessions use it; `sessions` says how many */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    changeWorkflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change it only if it is at this revision */
                "If-Match"?: string | null;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowView"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it is active and could not be any more, or is at another revision */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    activateWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowView"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT` with the reason why it cannot be */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    drawWorkflow: {
        parameters: {
            query?: {
                /** @description `svg` (the default) or `mermaid` */
                format?: string;
                /** @description The id of a run */
                run?: string;
                /** @description The id of a session */
                session?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                    "text/plain": string;
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such workflow, run or session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    disableWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowView"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    executeWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Execution"];
            };
        };
        responses: {
            /** @description The run, also when it ended in an error */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`, `SERVER_NOT_FOUND` or `TOOL_NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it is not active */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    exportWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowDraft"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listWorkflowRuns: {
        parameters: {
            query?: {
                /** @description 1 to 500, 50 by default */
                limit?: number;
                /** @description Without so many of the newest */
                offset?: number;
                /** @description `running`, `completed`, `error` or `cancelled` */
                status?: string;
                /** @description Only calls of tools with this text in their name */
                tool?: string;
                /** @description `true`: without what was sent, answered and changed */
                brief?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunRecord"][];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listVersions: {
        parameters: {
            query?: {
                /** @description At most so many: 1 to 500, 50 by default. */
                limit?: number;
                /** @description Without so many of the newest. */
                offset?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionView"][];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowDraft"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such workflow or version */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    deleteVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such workflow or version */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it is the current one, or open sessions use it; `sessions` says how many */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    compareVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
                other: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDiff"];
                };
            };
            /** @description `VALIDATION_ERROR`: the address or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such workflow or version */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    restoreVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change it only if it is at this revision */
                "If-Match"?: string | null;
            };
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowView"];
                };
            };
            /** @description `VALIDATION_ERROR`: it could not be stored any more */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: no such workflow or version */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `CONFLICT`: it is the current one, it could not be active any more, or the workflow is at another revision */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    clientMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Client ID metadata document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `NOT_FOUND`: the gateway has no public https address */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    callTool: {
        parameters: {
            query?: {
                /** @description `true`: always the whole `CallToolResult`. */
                raw?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallReply"];
                };
            };
            /** @description `VALIDATION_ERROR` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `SERVER_NOT_FOUND`, `TOOL_NOT_FOUND` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `TIMEOUT_ERROR`; 504 with `http.timeoutStatus: 504` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `TOOL_EXECUTION_ERROR`, `INTERNAL_ERROR` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `SERVER_CRASHED` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `SERVER_NOT_RUNNING`, `OVERLOADED`, `CIRCUIT_OPEN` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    listTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsReply"];
                };
            };
            /** @description `VALIDATION_ERROR`: a hook or a graph refuses the request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `TOOL_EXECUTION_ERROR`: a hook or a graph failed, or withholds the list */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description `UNAUTHORIZED`, where there are keys */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `RATE_LIMITED`: too many wrong keys; see `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    signedInToServer: {
        parameters: {
            query?: {
                /** @description What the sign-in is known by */
                state?: string;
                /** @description What a token is given for */
                code?: string;
                /** @description The issuer that answers */
                iss?: string;
                /** @description Why there is no code */
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed in; the window can be closed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description Not signed in; the page says why */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description `VALIDATION_ERROR`: `Origin` or `Host` is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description `OVERLOADED`; see `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
}
