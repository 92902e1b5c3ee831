import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import type { TargetSummary } from "../../../app/targets/api.ts";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { Input } from "../../../ui/inputs.tsx";
import { type Group, type Line, lineKey, linesOf, moveTo, placeOf, type ShownTarget } from "./arrange.ts";
import type { TargetListName } from "./form-values.ts";
import { Sortable } from "./order/sortable.tsx";
import { FixedLine } from "./order/sortable-line.tsx";
import { usePlaceWords } from "./place-words.ts";
import { type LineActions, TargetLine } from "./target-line.tsx";
import { typeOf } from "./target-names.ts";

/** Lists of more than so many are searched, and drawn in part until more is asked for. */
const longList = 50;
const moreLines = 100;

type TargetListProps = {
  kind: TargetListName;
  /** In the page's order. */
  shown: readonly ShownTarget[];
  groups: readonly Group[];
  targets: ReadonlyMap<number, TargetSummary> | undefined;
  nameOf: (id: number) => string;
  readOnly: boolean;
  errors: (id: number) => string | undefined;
  actions: LineActions;
  onMove: (line: string, over: string) => void;
};

/** What the page shows of one kind, below the headings of its groups. */
export function TargetList(props: TargetListProps) {
  const { kind, shown, groups, targets, nameOf, readOnly, errors, actions, onMove } = props;
  const { t } = useTranslation();
  const placeWords = usePlaceWords();
  const [filter, setFilter] = useState("");
  const [most, setMost] = useState(longList);
  const isLong = shown.length > longList;
  const wanted = useDeferredValue(isLong ? filter.trim().toLowerCase() : "");
  const lines = linesOf(shown, groups);
  const matching = wanted === "" ? lines : lines.filter((line) => isMatch(line, wanted));
  const drawn = isLong ? matching.slice(0, most) : matching;
  const hidden = matching.length - drawn.length;
  const idOf = (key: string) => shown.find(({ id }) => lineKey(id) === key)?.id ?? 0;

  function isMatch(line: Line, text: string): boolean {
    if (line.kind === "heading") return false;
    const { id, name } = line.target;
    return `${name} ${targets?.get(id)?.name ?? ""} ${targets?.get(id)?.at ?? ""}`.toLowerCase().includes(text);
  }
  const headingOf = (group: string | null) => {
    const count = shown.filter((each) => each.group === group).length;
    const found = groups.find(({ key }) => key === group);
    const name =
      found === undefined ? t("statusPage.groups.none") : found.name.trim() || t("statusPage.groups.unnamed");
    return `${name} · ${count}`;
  };
  const first = groups.length > 0 ? 1 : 0;
  const isFirst = (key: string) => lines[first]?.key === key;
  const isLast = (key: string) => lines.at(-1)?.key === key;

  return (
    <>
      {isLong && (
        <div className="border-t border-line px-4 py-2 md:px-5">
          <Input
            type="search"
            aria-label={t("statusPage.targets.filter")}
            placeholder={t("statusPage.targets.filter")}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            // Enter saves from anywhere else in the form.
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          />
        </div>
      )}
      <Sortable
        lines={drawn.map(({ key }) => key)}
        nameOf={(key) => nameOf(idOf(key))}
        placeAt={(key, over) => placeWords(placeOf(moveTo(shown, groups, key, over), groups, idOf(key)), groups)}
        onMove={onMove}
      >
        <ul
          aria-label={t(`statusPage.${kind}.title`)}
          // What is far from the window is not laid out.
          className={cx(
            "border-t border-line",
            drawn.length > longList && "[&>li]:[contain-intrinsic-size:auto_3.25rem] [&>li]:[content-visibility:auto]",
          )}
        >
          {drawn.map((line) =>
            line.kind === "heading" ? (
              <FixedLine
                key={line.key}
                line={line.key}
                className="border-b border-line bg-sunken px-4 py-1.5 text-[13px] font-semibold text-muted last:border-b-0 md:px-5"
              >
                {headingOf(line.group)}
              </FixedLine>
            ) : (
              <TargetLine
                key={line.key}
                type={typeOf(kind)}
                target={line.target}
                groups={groups}
                known={targets === undefined ? null : targets.get(line.target.id)}
                isFirst={isFirst(line.key)}
                isLast={isLast(line.key)}
                isOrderable={wanted === ""}
                readOnly={readOnly}
                error={errors(line.target.id)}
                actions={actions}
              />
            ),
          )}
        </ul>
      </Sortable>
      {hidden > 0 && (
        <div className="border-t border-line p-2 text-center">
          <Button variant="ghost" size="sm" onClick={() => setMost(most + moreLines)}>
            {t("alerting.showAll", { count: Math.min(hidden, moreLines) })}
          </Button>
        </div>
      )}
      {wanted !== "" && matching.length === 0 && (
        <p className="border-t border-line px-4 py-3 text-muted">{t("alerting.nothingFound")}</p>
      )}
    </>
  );
}
