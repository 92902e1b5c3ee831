import { type Call, callsOf } from "../../kills/http.ts";
import type { Api } from "@sonde/testing/api";
import type { Namespace } from "../cluster/namespace.ts";
import type { ClusterTarget } from "../cluster/target.ts";
import type { Ground } from "../ground.ts";
import { deleteMonitors } from "./clean.ts";

export interface Prepared {
  namespace: Namespace;
  url: string;
  values: Record<string, unknown>;
  target: ClusterTarget;
  api: Api;
  token: string;
  call: Call;
  /** Base for unused names and keys. */
  from: number;
}

export async function prepare(ground: Ground): Promise<Prepared> {
  const { namespace, url, values } = await ground.sonde();
  const { api, token } = await ground.admin();
  const target = await ground.target(namespace);
  await deleteMonitors(api);
  return { namespace, url, values, target, api, token, call: callsOf(url), from: ground.next() };
}
