/** Where the API lives: the server that sent the page. */
export const apiBase = `${location.origin}/api`;
