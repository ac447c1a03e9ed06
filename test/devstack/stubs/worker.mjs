// A stub of the worker app: it runs until it is asked to stop.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
console.log(JSON.stringify({ level: 'info', message: 'the stub of the worker is running' }));
console.log(JSON.stringify({ level: 'error', message: 'not so well', error: { message: 'lost' } }));
setInterval(() => undefined, 60_000);
