import { type CheckType, checkTypes } from "@sonde/proto/http/monitors/kinds";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { kindGroups } from "../../../entities/kinds/kind-form.ts";
import { kindForms, useText } from "../../../entities/kinds/kinds.ts";
import { cx } from "../../../ui/cx.ts";
import { controlClass, Field } from "../../../ui/field.tsx";
import { CheckIcon, ChevronDownIcon, KindIcon } from "../../../ui/icons.tsx";
import { useCombobox } from "../../../ui/menu/combobox.tsx";

type KindFieldProps = { type: CheckType; onChange: (type: CheckType) => void; disabled: boolean };

/** The kind of check, searched by name, group and description. */
export function KindField({ type, onChange, disabled }: KindFieldProps) {
  const { t } = useTranslation();
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const name = text(kindForms[type].name);
  const sought = typed.trim().toLowerCase();
  const offered = checkTypes.filter((each) => {
    const { name: own, purpose, group } = kindForms[each];
    return [each, text(own), text(purpose), text(kindGroups[group])].join("\n").toLowerCase().includes(sought);
  });
  const groups = Map.groupBy(offered, (each) => kindForms[each].group);
  const box = useCombobox({
    options: isOpen ? [...groups.values()].flat() : [],
    keyOf: (each) => each,
    // Enter changes the kind only after typing or moving.
    startsAtFirst: sought !== "",
    onPick(picked) {
      close();
      if (picked !== type) onChange(picked);
    },
    onOpen: () => setOpen(true),
    onClose: isOpen ? close : undefined,
    onKey: ({ key }) => key === "Enter" && isOpen,
  });
  function close() {
    setOpen(false);
    setTyped("");
    box.reset();
  }
  return (
    <Field label={t("monitorKinds.kind")} hint={text(kindForms[type].purpose)}>
      {(ids) => (
        <div className="relative">
          <KindIcon
            type={type}
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
          />
          <input
            {...ids}
            {...box.field}
            type="text"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={isOpen ? box.listId : undefined}
            disabled={disabled}
            placeholder={t("monitorKinds.find")}
            value={isOpen ? typed : name}
            onChange={({ target }) => {
              // The first letter typed on the closed field follows the shown name.
              setTyped(isOpen ? target.value : target.value.replace(name, ""));
              setOpen(true);
              box.reset();
            }}
            onClick={() => setOpen(true)}
            onBlur={close}
            className={cx(controlClass.line, "pr-8 pl-9 font-medium")}
          />
          <ChevronDownIcon className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-muted" />
          {isOpen && (
            <div className="fade-in absolute top-full right-0 z-20 mt-1 max-h-80 w-full overflow-y-auto sm:w-[26rem] rounded-md border border-line bg-raised p-1 shadow-lifted">
              <div id={box.listId} role="listbox" aria-label={t("monitorKinds.kind")}>
                {[...groups].map(([group, members]) => (
                  <div key={group} role="group" aria-label={text(kindGroups[group])}>
                    <p aria-hidden="true" className="px-2 pt-2 pb-1 text-[12px] text-muted">
                      {text(kindGroups[group])}
                    </p>
                    {members.map((each) => {
                      const option = box.propsOf(each);
                      const { name: own, purpose } = kindForms[each];
                      return (
                        <div
                          key={each}
                          {...option}
                          aria-label={text(own)}
                          aria-describedby={`${option.id}-hint`}
                          className="flex min-h-9 cursor-pointer items-start gap-2 rounded-sm px-2 py-1.5 select-none hover:bg-sunken aria-selected:bg-accent-soft aria-selected:text-accent-strong"
                        >
                          <KindIcon type={each} className="mt-0.5 size-4 shrink-0 text-muted" />
                          <span className="min-w-0 flex-1">
                            <span className="block font-medium">{text(own)}</span>
                            <span id={`${option.id}-hint`} className="block text-[13px] text-muted">
                              {text(purpose)}
                            </span>
                          </span>
                          {each === type && <CheckIcon className="mt-0.5 size-4 shrink-0" />}
                        </div>
                      );
                    })}
                  </div>
                ))}
              </div>
              {offered.length === 0 && (
                <p role="status" className="px-2 py-1.5 text-[13px] text-muted">
                  {t("monitorKinds.noKind")}
                </p>
              )}
            </div>
          )}
        </div>
      )}
    </Field>
  );
}

/** The kind of a stored monitor. */
export function FixedKind({ type }: { type: CheckType }) {
  const { t } = useTranslation();
  const text = useText();
  return (
    <dl className="flex flex-col gap-1.5">
      <dt className="text-[13px] font-medium">{t("monitorKinds.kind")}</dt>
      <dd className="flex h-9 items-center gap-2 font-medium">
        <KindIcon type={type} className="size-4 text-muted" />
        {text(kindForms[type].name)}
      </dd>
      <dd className="text-[13px] text-faint">{t("monitorKinds.fixed")}</dd>
    </dl>
  );
}
