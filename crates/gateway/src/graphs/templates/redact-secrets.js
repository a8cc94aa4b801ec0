// Everything that looks like a secret is replaced, wherever it stands in the reply.
if (context.response === undefined) return;
return {response: redact(context.response, parameters.patterns, parameters.replacement)};
