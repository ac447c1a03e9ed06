/** The User-Agent header of outgoing requests. */
export const USER_AGENT = 'Jobline/0.1';
