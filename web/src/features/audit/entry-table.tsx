import type { AuditEntry } from "@sonde/proto/http/audit";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useFieldNames } from "../../entities/audit/field-name.ts";
import { type Column, DataTable } from "../../lists/data-table.tsx";
import { expandColumn } from "../../lists/expand-column.tsx";
import { cx } from "../../ui/cx.ts";
import { Time } from "../../ui/time.tsx";
import { Diff } from "./diff.tsx";
import { type SentenceOf, useActorName, useSentence } from "./words.ts";

type EntryTableProps = {
  label: string;
  entries: readonly AuditEntry[] | undefined;
  openId: string | undefined;
  onOpen: (id: string | undefined) => void;
  onActor?: (actor: string) => void;
};

export function EntryTable({ label, entries, openId, onOpen, onActor }: EntryTableProps) {
  const { t } = useTranslation();
  const sentenceOf = useSentence(entries);
  const columns: Column<AuditEntry>[] = [
    expandColumn({
      head: t("audit.diff.label"),
      title: t("audit.diff.label"),
      className: "max-md:align-top",
      openId,
      onOpen,
      labelOf: (entry) => {
        if (entry.changes.length === 0) return null;
        const { deed, name } = sentenceOf(entry);
        return t("audit.show", { what: `${deed} ${name}`.trim() });
      },
    }),
    {
      head: t("audit.time"),
      from: "md",
      className: "whitespace-nowrap text-muted",
      cell: ({ at }) => <Time at={at} short />,
    },
    {
      head: t("audit.who"),
      from: "md",
      className: "min-w-40 lg:min-w-72",
      cell: (entry) => <Who entry={entry} onActor={onActor} />,
    },
    {
      head: t("audit.what"),
      className: "w-full min-w-52 max-md:py-2.5",
      cell: (entry) => <What entry={entry} sentenceOf={sentenceOf} onActor={onActor} />,
    },
  ];
  return (
    <DataTable
      label={label}
      columns={columns}
      items={entries}
      detailOf={(entry) => (entry.id === openId ? <Diff entry={entry} /> : undefined)}
    />
  );
}

type CellProps = { entry: AuditEntry } & Pick<EntryTableProps, "onActor">;

function What({ entry, sentenceOf, onActor }: CellProps & { sentenceOf: SentenceOf }) {
  const fieldNames = useFieldNames(entry.target.type);
  const { deed, name, page } = sentenceOf(entry);
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-1.5">
        {name !== "" && <span>{deed}</span>}
        {page === undefined ? (
          <span className={cx("min-w-0 break-words", name !== "" && "font-medium")}>{name || deed}</span>
        ) : (
          <Link to={page} className="inline-flex min-h-6 min-w-0 items-center font-medium break-words hover:underline">
            {name || deed}
          </Link>
        )}
        {entry.action === "update" && (
          <span className="text-[13px] text-muted">{fieldNames(entry.changes.map(({ path }) => path))}</span>
        )}
      </span>
      <span className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted md:hidden">
        <Time at={entry.at} short />
        <Who entry={entry} onActor={onActor} />
      </span>
    </>
  );
}

function Who({ entry: { actor, address }, onActor }: CellProps) {
  const { t } = useTranslation();
  const name = useActorName()(actor);
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2">
      {onActor === undefined ? (
        <span className="break-words">{name}</span>
      ) : (
        <button
          type="button"
          title={t("audit.onlyOf", { name })}
          onClick={() => onActor(actor.key === undefined ? actor.username : `key:${actor.key.id}`)}
          className="inline-flex min-h-6 min-w-0 items-center text-left break-words hover:underline"
        >
          {name}
        </button>
      )}
      {address !== undefined && <span className="text-[13px] break-all text-faint">{address}</span>}
    </span>
  );
}
