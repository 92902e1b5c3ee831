import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";
import { CrossIcon, PlusIcon } from "./icons.tsx";
import { Input } from "./inputs.tsx";

export type KeyValue = { name: string; value: string };

type KeyValueEditorProps = {
  label: string;
  nameLabel: string;
  valueLabel: string;
  addLabel: string;
  pairs: readonly KeyValue[];
  onChange: (pairs: KeyValue[]) => void;
  /** Error of one text of a pair. */
  errorOf?: (index: number, part: "name" | "value") => string | undefined;
  /** True if a value is a secret that the server does not return. */
  isSecret?: (pair: KeyValue) => boolean;
  suggestions?: readonly string[];
};

export function KeyValueEditor({ pairs, onChange, addLabel, label, suggestions, ...row }: KeyValueEditorProps) {
  // A page may have several editors with the same label.
  const ownId = useId();
  const listId = suggestions === undefined ? undefined : ownId;
  const replace = (index: number, pair: KeyValue) => onChange(pairs.map((each, at) => (at === index ? pair : each)));
  return (
    <div role="group" aria-label={label} className="flex flex-col gap-2">
      {pairs.map((pair, index) => (
        <PairRow
          // Rows have no identity other than their index.
          key={index}
          {...row}
          index={index}
          pair={pair}
          listId={listId}
          onChange={(next) => replace(index, next)}
          onRemove={() => onChange(pairs.filter((_, at) => at !== index))}
        />
      ))}
      {listId !== undefined && (
        <datalist id={listId}>
          {suggestions?.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
      <div>
        <Button size="sm" onClick={() => onChange([...pairs, { name: "", value: "" }])}>
          <PlusIcon />
          {addLabel}
        </Button>
      </div>
    </div>
  );
}

type PairRowProps = Pick<KeyValueEditorProps, "nameLabel" | "valueLabel" | "errorOf" | "isSecret"> & {
  index: number;
  pair: KeyValue;
  listId: string | undefined;
  onChange: (pair: KeyValue) => void;
  onRemove: () => void;
};

function PairRow({ index, pair, nameLabel, valueLabel, errorOf, isSecret, listId, onChange, onRemove }: PairRowProps) {
  const { t } = useTranslation();
  const secret = isSecret?.(pair) === true;
  const error = errorOf?.(index, "name") ?? errorOf?.(index, "value");
  const common = { mono: true, autoComplete: "off", spellCheck: false };
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <Input
          {...common}
          list={listId}
          aria-label={`${nameLabel} ${index + 1}`}
          aria-invalid={errorOf?.(index, "name") !== undefined || undefined}
          placeholder={nameLabel}
          value={pair.name}
          onChange={(event) => onChange({ ...pair, name: event.target.value })}
          className="max-w-56"
        />
        <Input
          {...common}
          type={secret ? "password" : "text"}
          autoComplete={secret ? "new-password" : "off"}
          aria-label={`${valueLabel} ${index + 1}`}
          aria-invalid={errorOf?.(index, "value") !== undefined || undefined}
          placeholder={valueLabel}
          value={pair.value}
          // Typing replaces the whole mask of a stored secret.
          onFocus={(event) => secret && event.target.select()}
          onChange={(event) => onChange({ ...pair, value: event.target.value })}
        />
        <Button
          variant="ghost"
          size="icon"
          aria-label={t("common.removeNumber", { number: index + 1 })}
          onClick={onRemove}
        >
          <CrossIcon />
        </Button>
      </div>
      {error !== undefined && (
        <p role="alert" className="text-[13px] text-down-ink">
          {error}
        </p>
      )}
    </div>
  );
}
