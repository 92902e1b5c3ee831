import { useState } from "react";
import { useTranslation } from "react-i18next";
import { areSingleKeysOn, commandKey, setSingleKeys, showOverlay } from "../../app/keyboard/keys.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Switch } from "../../ui/inputs.tsx";
import { Key } from "./key.tsx";

const shortcuts = [
  { what: "palette", ways: [[commandKey, "K"]] },
  { what: "search", ways: [["/"]] },
  { what: "next", ways: [["J"], ["↓"]] },
  { what: "previous", ways: [["K"], ["↑"]] },
  { what: "open", ways: [["Enter"]] },
  {
    what: "go",
    ways: [
      ["G", "D"],
      ["G", "M"],
      ["G", "I"],
      ["G", "A"],
    ],
  },
  { what: "create", ways: [["C"]] },
  { what: "edit", ways: [["E"]] },
  { what: "acknowledge", ways: [["A"]] },
  { what: "pause", ways: [["P"]] },
  { what: "select", ways: [["X"]] },
  { what: "sheet", ways: [["?"]] },
  { what: "close", ways: [["Esc"]] },
] as const;

export default function ShortcutSheet() {
  const { t } = useTranslation();
  const [singleKeys, setOn] = useState(areSingleKeysOn);
  return (
    <Dialog onClose={() => showOverlay(null)} title={t("shortcuts.title")}>
      <dl className="divide-y divide-line">
        {shortcuts.map(({ what, ways }) => (
          <div key={what} className="flex min-h-11 items-center justify-between gap-4 py-1.5">
            <dt>{t(`shortcuts.${what}`)}</dt>
            <dd className="flex shrink-0 items-center gap-1.5 text-[13px] text-faint">
              {ways.map((keys, index) => (
                <span key={keys.join("+")} className="inline-flex items-center gap-1">
                  {index > 0 && <span className="mr-1">{t("shortcuts.or")}</span>}
                  {keys.map((key) => (
                    <Key key={key}>{key}</Key>
                  ))}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        label={t("shortcuts.singleKeys")}
        hint={t("shortcuts.singleKeysHint")}
        checked={singleKeys}
        onChange={({ target }) => {
          setSingleKeys(target.checked);
          setOn(target.checked);
        }}
      />
    </Dialog>
  );
}
