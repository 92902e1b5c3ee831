import { useTranslation } from "react-i18next";
import { FormField } from "../../../ui/form-field.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { type UpdateValues, updateStates } from "./form-values.ts";

/** The state that an update gives the incident. */
export function StateField({ hint }: { hint?: string | undefined }) {
  const { t } = useTranslation();
  return (
    <FormField<UpdateValues> name="state" label={t("announcements.state")} hint={hint}>
      {(props) => (
        <Select {...props} className="w-full sm:w-64">
          {updateStates.map((state) => (
            <option key={state} value={state}>
              {t(`announcements.states.${state}`)}
            </option>
          ))}
        </Select>
      )}
    </FormField>
  );
}
