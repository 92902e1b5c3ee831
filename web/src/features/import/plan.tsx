import { type CannotEntry, importedTypes, type ImportPlan, type WillEntry } from "@sonde/proto/http/import";
import type { TFunction } from "i18next";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Cell, HeadCell, Row, Table } from "../../lists/table.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

/** Rows added at a time: rendering ten thousand at once would take seconds. */
const rowsAtOnce = 200;

export function Plan({ plan, name, actions }: { plan: ImportPlan; name: string; actions: ReactNode }) {
  const { t, i18n } = useTranslation();
  const counts = countsOf(plan.will, t, i18n.language);
  return (
    <>
      <Card title={t("importing.plan.title", { name })}>
        <p className="text-[15px] font-semibold">{counts === "" ? t("importing.plan.nothing") : counts}</p>
        {plan.will.length > 0 && <p className="mt-1 text-muted">{t("importing.plan.whole")}</p>}
        <div className="mt-4 flex flex-wrap gap-2">{actions}</div>
      </Card>
      {plan.cannot.length > 0 && <Cannot entries={plan.cannot} />}
      {plan.will.length > 0 && <Will entries={inOrder(plan.will)} />}
    </>
  );
}

const inOrder = (entries: readonly WillEntry[]) =>
  importedTypes.flatMap((type) => entries.filter((entry) => entry.type === type));

function Cannot({ entries }: { entries: readonly CannotEntry[] }) {
  const { t } = useTranslation();
  const title = t("importing.plan.cannot", { count: entries.length });
  return (
    <Part title={title} entries={entries} heads={["kind", "name", "why"]}>
      {({ type, what, why }, index) => (
        <Row key={index}>
          <Cell className="whitespace-nowrap text-muted max-sm:hidden">{t(`importing.types.${type}`)}</Cell>
          <Cell className="min-w-28 font-medium wrap-anywhere">{what}</Cell>
          <Cell className="min-w-32">{why}</Cell>
        </Row>
      )}
    </Part>
  );
}

function Will({ entries }: { entries: readonly WillEntry[] }) {
  const { t } = useTranslation();
  return (
    <Part title={t("importing.plan.will")} entries={entries} heads={["kind", "name", "notes"]}>
      {(entry, index) => (
        <Row key={index}>
          <Cell className="whitespace-nowrap text-muted max-sm:hidden">{t(`importing.types.${entry.type}`)}</Cell>
          <Cell className="min-w-32 sm:min-w-44">
            <span className="font-medium wrap-anywhere">{entry.name}</span>
            {entry.paused && <Badge className="ml-2">{t("importing.plan.paused")}</Badge>}
            {entry.detail !== undefined && <span className="block text-muted wrap-anywhere">{entry.detail}</span>}
          </Cell>
          <Cell className="min-w-28 sm:min-w-48">
            {entry.notes.map((note) => (
              <span key={note} className="block">
                {note}
              </span>
            ))}
            {entry.tags !== undefined && entry.tags.length > 0 && (
              <span className="flex flex-wrap gap-1 py-0.5">
                {entry.tags.map((tag) => (
                  <Badge key={tag}>{tag}</Badge>
                ))}
              </span>
            )}
          </Cell>
        </Row>
      )}
    </Part>
  );
}

type PartProps<Entry> = {
  title: string;
  entries: readonly Entry[];
  heads: readonly ("kind" | "name" | "notes" | "why")[];
  children: (entry: Entry, index: number) => ReactNode;
};

function Part<Entry>({ title, entries, heads, children }: PartProps<Entry>) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(rowsAtOnce);
  const left = entries.length - shown;
  return (
    <Card title={title} flush className="overflow-hidden">
      <Table label={title}>
        <thead>
          <tr>
            {heads.map((head) => (
              // On a phone names and reasons need the full width.
              <HeadCell key={head} className={head === "kind" ? "max-sm:hidden" : undefined}>
                {t(`importing.plan.${head}`)}
              </HeadCell>
            ))}
          </tr>
        </thead>
        <tbody>{entries.slice(0, shown).map(children)}</tbody>
      </Table>
      {left > 0 && (
        <div className="border-t border-line p-3 text-center">
          <Button onClick={() => setShown(shown + rowsAtOnce)}>
            {t("importing.plan.more", { count: Math.min(left, rowsAtOnce) })}
          </Button>
        </div>
      )}
    </Card>
  );
}

const counted = ["monitor", "group", "channel", "template", "schedule", "policy", "drill", "slo", "settings"] as const;

/** For example `12 monitors, 2 channels`. Empty without entries. */
export function countsOf(entries: readonly WillEntry[], t: TFunction, language: string): string {
  const parts = counted.flatMap((type) => {
    const count = entries.filter((entry) => entry.type === type).length;
    return count === 0 ? [] : [t(`importing.plan.counts.${type}`, { count })];
  });
  return new Intl.ListFormat(language, { type: "conjunction" }).format(parts);
}
