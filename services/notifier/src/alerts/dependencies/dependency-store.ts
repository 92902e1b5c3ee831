import type { Database } from "@sonde/kit/postgres/database";
import { dependencyGraph, type Graph, isHoldingKind, type Node } from "./dependencies.ts";
import { type NotifiedIncident, targetKey, toRow } from "../incident.ts";

const columns = "id, target_type, target, target_name, kind, opened_at_ms, depends_on, hosts";

/**
 * The open incidents that some incidents depend on, over all steps, and those that depend on them. Follows the same
 * rules as `dependencyGraph`, more widely: that decides.
 */
export async function loadGraph(db: Database, incidents: readonly NotifiedIncident[]): Promise<Graph> {
  const holding = incidents.filter(({ kind }) => isHoldingKind(kind));
  const agents = holding.filter(({ target }) => target.type === "agent");
  const { rows } = await db.raw<{ rows: Node[] }>(
    `with recursive chosen as (
       select ${columns} from incidents where id = any(:ids)
       union
       select ${columns} from incidents where closed_at_ms is null and depends_on && :targets
       union
       select ${columns} from incidents where closed_at_ms is null and target_type = 'monitor' and hosts && :hosts
     ), reached as (
       select * from chosen
       union
       select parent.* from reached cross join lateral (
         select ${columns} from incidents
         where closed_at_ms is null and kind in ('down', 'offline') and target = any(reached.depends_on)
         union all
         select ${columns} from incidents
         where closed_at_ms is null and kind = 'offline' and target_type = 'agent'
           and reached.target_type = 'monitor' and hosts && reached.hosts
       ) as parent
     )
     select reached.*, id as incident_id from reached`,
    {
      ids: incidents.map(({ id }) => id),
      targets: holding.map(({ target }) => targetKey(target)),
      hosts: agents.flatMap((incident) => toRow(incident).hosts),
    },
  );
  return dependencyGraph(rows);
}
