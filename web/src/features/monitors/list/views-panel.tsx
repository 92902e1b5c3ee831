import type { SavedView } from "@sonde/proto/http/views";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { errorText } from "../../../app/errors.ts";
import { paths } from "../../../app/paths.ts";
import { useUndo } from "../../../app/undo.ts";
import { toast } from "../../../ui/alert.tsx";
import { PlusIcon, ScreenIcon, TrashIcon } from "../../../ui/icons.tsx";
import type { MenuEntry, MenuFrame } from "../../../ui/menu/entries.ts";
import MenuPanel from "../../../ui/menu/menu-panel.tsx";
import { useSaveViewsMutation, useViewsQuery } from "../views.ts";
import type { ChosenColumns } from "./rows.tsx";

const SaveView = lazy(() => import("./save-view.tsx"));

/** The menu restores the focus when it closes. Only then may the dialog take it. */
const closingMs = 50;

export default function ViewsPanel({ columns, ...frame }: MenuFrame & { columns: ChosenColumns }) {
  const { t } = useTranslation();
  const [address, setAddress] = useSearchParams();
  const { data, refetch } = useViewsQuery(undefined, { refetchOnMountOrArgChange: true });
  const [save] = useSaveViewsMutation();
  const offerUndo = useUndo();
  const [isNaming, setNaming] = useState(false);
  const own = data?.views ?? [];
  const all: (SavedView & { by?: string })[] = [...own, ...(data?.shared ?? [])];
  const params = new URLSearchParams(address);
  params.delete("page");
  const query = params.toString();
  const shown = all.findIndex(
    (view) => view.query === query && (view.columns ?? columns.names).join() === columns.names.join(),
  );
  // The wall finds a view by its name: own ones first.
  const isNamed = shown !== -1 && all.findIndex(({ name }) => name === all[shown]?.name) === shown;

  function show({ query: wanted, columns: names }: SavedView) {
    setAddress(wanted);
    if (names !== undefined) columns.choose(names);
  }
  async function remove({ name }: SavedView) {
    // Saving replaces all views, also those of other tabs.
    const before = (await refetch()).data?.views ?? own;
    const { error } = await save(before.filter((each) => each.name !== name));
    if (error !== undefined) return toast("error", errorText(error, "unknown"));
    return offerUndo(t("views.removed", { name }), () => save(before));
  }
  const removal: MenuEntry = {
    kind: "sub",
    icon: <TrashIcon />,
    label: t("views.remove"),
    entries: own.map((view) => ({ kind: "action", label: view.name, onSelect: () => void remove(view) })),
  };
  const entries: MenuEntry[] = [
    all.length === 0
      ? { kind: "label", content: <span className="block max-w-56">{t("views.none")}</span> }
      : {
          kind: "choice",
          value: String(shown),
          onChange: (index) => show(all[Number(index)]!),
          options: all.map(({ name, by }, index) => ({
            value: String(index),
            label: by === undefined ? name : t("views.shared", { name, by }),
          })),
        },
    { kind: "separator" },
    {
      kind: "action",
      icon: <PlusIcon />,
      label: t("views.save"),
      disabled: data === undefined,
      onSelect: () => setTimeout(() => setNaming(true), closingMs),
    },
    ...(own.length === 0 ? [] : [removal]),
    {
      kind: "link",
      icon: <ScreenIcon />,
      label: t("views.wall"),
      to: `${paths.wall}?${isNamed ? new URLSearchParams({ view: all[shown]!.name }).toString() : query}`,
    },
  ];
  return (
    <>
      <MenuPanel entries={entries} {...frame} />
      {isNaming && (
        <Suspense>
          <SaveView view={{ query, columns: [...columns.names] }} onClose={() => setNaming(false)} />
        </Suspense>
      )}
    </>
  );
}
