import { fill } from "../fill.ts";
import type { Language } from "../messages.ts";
import type { CauseFact, SharedCause } from "./explanation.ts";

type InBoth = readonly [english: string, chinese: string];

/** Verb phrases that complete the sentence. */
const facts: Readonly<Record<CauseFact, InBoth>> = {
  address: ["share {value}", "共用地址 {value}"],
  certificate: ["share the certificate {value}", "共用证书 {value}"],
  name: ["share the CNAME target {value}", "共用 CNAME 目标 {value}"],
  network: ["share the network {value}", "位于同一网段 {value}"],
  proxy: ["share the proxy {value}", "共用代理 {value}"],
  resolver: ["share the name server {value}", "共用 DNS 服务器 {value}"],
  agent: ["depend on the agent {value}", "依赖 Agent {value}"],
  domain: ["share the domain {value}", "属于同一域名 {value}"],
  location: ["fail at the location {value}", "在检查位置 {value} 失败"],
};

const one: InBoth = [
  "{sharing} of {failing} failing monitors {fact}; 1 monitor elsewhere is up",
  "{failing} 个故障监控项中有 {sharing} 个{fact}；另有 1 个监控项正常",
];
const several: InBoth = [
  "{sharing} of {failing} failing monitors {fact}; {healthy} monitors elsewhere are up",
  "{failing} 个故障监控项中有 {sharing} 个{fact}；另有 {healthy} 个监控项正常",
];

/** Names the cause of a group of incidents: `41 of 42 failing monitors share 203.0.113.7; …`. */
export function sharedCauseText(cause: Omit<SharedCause, "incidentIds">, language: Language): string {
  const { fact, value, sharing, failing, healthy } = cause;
  const inLanguage = ([english, chinese]: InBoth) => (language === "zh-CN" ? chinese : english);
  const named = fill(inLanguage(facts[fact]), { value });
  return fill(inLanguage(healthy === 1 ? one : several), { sharing, failing, healthy, fact: named });
}
