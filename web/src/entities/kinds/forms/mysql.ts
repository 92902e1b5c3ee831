import { sql } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"mysql">({
  name: { en: "MySQL", zh: "MySQL" },
  purpose: { en: "A MySQL or MariaDB server responds to a query", zh: "检查 MySQL 或 MariaDB 服务器能否响应查询" },
  group: "databases",
  fields: sql("3306", { en: "Optional.", zh: "选填。" }),
});
