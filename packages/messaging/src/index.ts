/** Messages to people: who may send as whom, what is sent, and what became of it. Shared by the API and the worker. */
export {};
