import { sql } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"postgres">({
  name: { en: "PostgreSQL", zh: "PostgreSQL" },
  purpose: {
    en: "A PostgreSQL database accepts logins and responds to a query",
    zh: "检查 PostgreSQL 数据库能否登录并响应查询",
  },
  group: "databases",
  fields: sql("5432", {
    en: "Default: the database with the same name as the user.",
    zh: "默认为与用户名同名的数据库。",
  }),
});
