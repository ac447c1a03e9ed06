/** How the service names itself to whom it calls. */
export const USER_AGENT = 'Jobline/0.1';
