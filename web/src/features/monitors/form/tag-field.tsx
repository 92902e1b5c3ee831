import { type KeyboardEvent, useRef, useState } from "react";
import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSettled } from "../../../lib/hooks.ts";
import { Chip } from "../../../ui/chip.tsx";
import { useCombobox } from "../../../ui/menu/combobox.tsx";
import { cx } from "../../../ui/cx.ts";
import { controlClass, Field } from "../../../ui/field.tsx";
import { useTagsQuery } from "../api.ts";
import type { FormValues } from "./form-values.ts";

const waitMs = 150;
const maxTagLength = 40;
const separators = /[,，、]/;

export function TagField() {
  const { t } = useTranslation();
  const { field, fieldState } = useController<FormValues, "tags">({ name: "tags" });
  const input = useRef<HTMLInputElement | null>(null);
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const typed = text.trim();
  const { data } = useTagsQuery(useSettled(typed, waitMs).slice(0, maxTagLength), { skip: !isOpen });
  const isOffered = ({ name }: { name: string }) =>
    !field.value.includes(name) && name.toLowerCase().includes(typed.toLowerCase());
  const offered = isOpen ? (data?.tags ?? []).filter(isOffered) : [];
  const box = useCombobox({
    options: offered,
    keyOf: ({ name }) => name,
    startsAtFirst: false,
    onPick: ({ name }) => add(name),
    onOpen: () => setOpen(true),
    onClose: isOpen ? close : undefined,
    onKey,
  });

  function close() {
    setOpen(false);
    box.reset();
  }
  function add(...names: string[]) {
    const more = names.map((name) => name.trim()).filter((name) => name !== "");
    if (more.length > 0) field.onChange([...new Set([...field.value, ...more])]);
    setText("");
    box.reset();
  }
  function remove(name: string) {
    field.onChange(field.value.filter((each) => each !== name));
    input.current?.focus();
  }
  /** Text before a separator becomes a tag. Text after it is still being typed. */
  function type(next: string) {
    const names = next.split(separators);
    const rest = names.pop() ?? "";
    if (names.length > 0) add(...names);
    setText(rest);
    setOpen(true);
    box.reset();
  }
  function onKey({ key }: KeyboardEvent): boolean {
    const last = field.value.at(-1);
    if (key === "Enter" && typed !== "") add(typed);
    else if (key === "Backspace" && text === "" && last !== undefined) remove(last);
    else return false;
    return true;
  }

  return (
    <Field label={t("monitorForm.tags")} hint={t("monitorForm.tagsHint")} error={fieldState.error?.message}>
      {(ids) => (
        <div className="flex flex-col gap-2">
          {field.value.length > 0 && (
            <ul className="flex flex-wrap gap-1.5">
              {field.value.map((name) => (
                <Chip key={name} removeLabel={t("alerting.remove", { name })} onRemove={() => remove(name)}>
                  {name}
                </Chip>
              ))}
            </ul>
          )}
          <div className="relative">
            <input
              {...ids}
              {...box.field}
              ref={(element) => {
                input.current = element;
                field.ref(element);
              }}
              type="text"
              role="combobox"
              aria-expanded={offered.length > 0}
              aria-controls={offered.length > 0 ? box.listId : undefined}
              value={text}
              onChange={({ target }) => type(target.value)}
              onClick={() => setOpen(true)}
              onBlur={() => {
                add(text);
                close();
                field.onBlur();
              }}
              className={controlClass.line}
            />
            {offered.length > 0 && (
              <div
                id={box.listId}
                role="listbox"
                aria-label={t("monitorForm.tags")}
                className="fade-in absolute inset-x-0 top-full z-20 mt-1 max-h-56 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lifted"
              >
                {offered.map((tag) => (
                  <div
                    key={tag.name}
                    {...box.propsOf(tag)}
                    className={cx(
                      "flex min-h-9 cursor-pointer items-center justify-between gap-3 rounded-sm px-2 select-none hover:bg-sunken",
                      tag === box.active && "bg-accent-soft text-accent-strong",
                    )}
                  >
                    <span className="min-w-0 truncate">{tag.name}</span>
                    <span className="tnum shrink-0 text-[13px] text-faint">
                      {t("monitorList.tags.count", { count: tag.monitors })}
                    </span>
                  </div>
                ))}
              </div>
            )}
          </div>
        </div>
      )}
    </Field>
  );
}
