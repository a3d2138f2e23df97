/* Bytes in the largest unit of which there is at least one, by the rule of atlas/render/units.py; empty below 1 KiB. */
const UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB"];

/** `36 KiB`, `4.5 MiB`: at most one digit after the point, half of a tenth rounded up. */
export const binary = (bytes) => {
  let power = 0;
  while (power < UNITS.length && bytes >= 1024n ** BigInt(power + 1)) power += 1;
  if (!power) return "";
  const unit = 1024n ** BigInt(power), tenths = (20n * bytes + unit) / (2n * unit);
  const tenth = tenths % 10n ? `.${tenths % 10n}` : "";
  return `${(tenths / 10n).toLocaleString("en")}${tenth} ${UNITS[power - 1]}`;
};
