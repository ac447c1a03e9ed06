// Stands where the worker app stands: it only lives until it is told to stop or its parent is gone.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
process.once('disconnect', () => process.exit(0));
console.log(JSON.stringify({ level: 'info', message: 'the stub of the worker is up' }));
