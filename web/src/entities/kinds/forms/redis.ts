import { login, server, tls } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"redis">({
  name: { en: "Redis", zh: "Redis" },
  purpose: { en: "A Redis or Valkey server responds to PING", zh: "检查 Redis 或 Valkey 服务器是否响应 PING" },
  group: "databases",
  fields: { ...server("cache.example.com", "6379"), ...login, ...tls },
});
