import { auditActions, auditTargets } from "@sonde/proto/http/audit";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { ownTimeZone } from "../../lib/format.ts";
import { saveFile } from "../../lib/save-file.ts";
import { wallTime } from "../../lib/zone-time.ts";
import { ListEmpty } from "../../lists/list-empty.tsx";
import { FilterSelect } from "../../lists/list-filters.tsx";
import { ListPage } from "../../lists/list-page.tsx";
import { Button } from "../../ui/button.tsx";
import { PageIcon } from "../../ui/icons.tsx";
import { Input } from "../../ui/inputs.tsx";
import { pollMs, useAuditKeysQuery, useAuditUsersQuery, useAuditQuery, useExportAuditMutation } from "./api.ts";
import { EntryTable } from "./entry-table.tsx";
import { type AuditList, filtersOf, useAuditList } from "./list.ts";

export default function AuditScreen() {
  const { t } = useTranslation();
  const list = useAuditList();
  const request = { page: list.params.page, pageSize: list.pageSize, ...filtersOf(list.params) };
  const query = useAuditQuery(request, { pollingInterval: pollMs, refetchOnMountOrArgChange: true });
  return (
    <ListPage
      noun="audit"
      list={list}
      query={query}
      fallback="fetchData"
      actions={<Export list={list} />}
      filters={<Filters list={list} />}
      empty={<ListEmpty noun="audit" list={list} icon={<PageIcon />} />}
    >
      {(page) => (
        <EntryTable
          label={t("audit.title")}
          entries={page?.entries}
          openId={list.params.open}
          onOpen={(open) => list.change({ open })}
          onActor={(actor) => list.change({ actor })}
        />
      )}
    </ListPage>
  );
}

function Export({ list }: { list: AuditList }) {
  const { t } = useTranslation();
  const [exportAudit, { isLoading }] = useExportAuditMutation();
  async function run() {
    list.setNotice(null);
    const { data, error } = await exportAudit(filtersOf(list.params));
    const today = wallTime(Date.now(), ownTimeZone()).slice(0, 10);
    if (data !== undefined) saveFile(`sonde-audit-${today}.ndjson`, data.objectUrl);
    else list.setNotice({ kind: "error", text: errorText(error, "exportAll") });
  }
  return (
    <Button onClick={() => void run()} saving={isLoading} savingLabel={t("audit.exporting")}>
      {t("audit.export")}
    </Button>
  );
}

function Filters({ list }: { list: AuditList }) {
  const { t } = useTranslation();
  const { action, target, from, until } = list.params;
  // The URL may name one target instead of a kind.
  const targets = target?.includes(":") === true ? [...auditTargets, target] : auditTargets;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ActorFilter list={list} />
      <FilterSelect
        label={t("audit.action")}
        allLabel={t("audit.anyAction")}
        values={auditActions}
        value={action}
        nameOf={(each) => t(`audit.actions.${each}`)}
        onChange={(next) => list.change({ action: next })}
      />
      <FilterSelect
        label={t("audit.target")}
        allLabel={t("audit.anyTarget")}
        values={targets}
        value={target}
        nameOf={(each) => {
          const kind = auditTargets.find((type) => type === each);
          if (kind !== undefined) return t(`audit.targets.${kind}`);
          const [type, ...id] = each.split(":");
          return `${t(`audit.kinds.${type as "monitor"}`)} ${id.join(":")}`;
        }}
        onChange={(next) => list.change({ target: next })}
      />
      <span className="flex gap-2">
        <DayFilter label={t("audit.from")} value={from} onChange={(next) => list.change({ from: next })} />
        <DayFilter label={t("audit.until")} value={until} onChange={(next) => list.change({ until: next })} />
      </span>
      {list.isFiltered && (
        <Button variant="ghost" onClick={list.clearFilters}>
          {t("audit.clearFilters")}
        </Button>
      )}
    </div>
  );
}

function ActorFilter({ list }: { list: AuditList }) {
  const { t } = useTranslation();
  const users = useAuditUsersQuery().data?.users ?? [];
  const keys = useAuditKeysQuery().data?.keys ?? [];
  const { actor } = list.params;
  const keyNames = new Map(keys.map(({ id, name }) => [`key:${id}`, name]));
  const names = [...users.map(({ username }) => username), ...keys.map(({ owner }) => owner.username)];
  const values = new Set([...names, ...keyNames.keys(), ...(actor === undefined ? [] : [actor])]);
  return (
    <FilterSelect
      label={t("audit.actor")}
      allLabel={t("audit.anyActor")}
      values={[...values]}
      value={actor}
      nameOf={(each) => {
        const [, keyId] = /^key:(\d+)$/.exec(each) ?? [];
        return keyId === undefined ? each : t("audit.key", { name: keyNames.get(each) ?? `#${keyId}` });
      }}
      onChange={(next) => list.change({ actor: next })}
    />
  );
}

type DayFilterProps = { label: string; value: string | undefined; onChange: (day: string | undefined) => void };

function DayFilter({ label, value, onChange }: DayFilterProps) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-1.5">
      <label htmlFor={id} className="shrink-0 text-[13px] text-muted">
        {label}
      </label>
      <Input
        id={id}
        type="date"
        className="w-36 max-sm:w-32 max-sm:px-2"
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
    </span>
  );
}
