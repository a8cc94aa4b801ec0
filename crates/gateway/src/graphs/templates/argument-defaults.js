// What the caller gave is stronger than a default.
if (context.toolName !== parameters.tool) return;
const given = context.request.params.arguments ?? {};
context.request.params.arguments = {...parameters.defaults, ...given};
