// One line per call, without arguments and without the reply: those may hold secrets.
const {clientId, serverName, duration, error} = context.metadata;
const outcome = error ? `failed: ${error.message}` : "succeeded";
console.log(`${clientId} called ${serverName}/${context.toolName} in ${duration} ms: ${outcome}`);
