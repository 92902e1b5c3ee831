// The CommonJS build of @koa/router: its other one imports node:http, which loads undici (kit's http/node-http.ts).
module.exports = require("@koa/router");
