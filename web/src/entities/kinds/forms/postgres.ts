import { sql } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"postgres">({
  name: { en: "PostgreSQL", zh: "PostgreSQL" },
  purpose: { en: "A database lets in and answers a query", zh: "检查数据库能否登录并应答查询" },
  group: "databases",
  fields: sql("5432", { en: "Default: the one named like the user.", zh: "默认为与用户名同名的数据库。" }),
});
