import koaRouter = require("@koa/router");
export = koaRouter.Router;
