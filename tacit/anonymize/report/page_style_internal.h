#pragma once

#include <string_view>

namespace tacit::anonymize {

// The colours of before and after are told apart by those who see few colours (Okabe and Ito,
// 2008), on paper, light and dark.
constexpr std::string_view kPageStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #ffffff; --panel: #f5f7f9; --ink: #1c2430; --muted: #566272; --line: #d5dce4;
  --before: #0072b2; --after: #d55e00; --faint: #8894a3; --warn: #fdf3e1; --warn-line: #c77700;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10151c; --panel: #19212b; --ink: #e4eaf1; --muted: #9eacbc; --line: #313d4b;
    --before: #56b4e9; --after: #f0a04b; --faint: #728194; --warn: #2b2413; --warn-line: #e0a13c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 "Source Sans 3", Inter, -apple-system, "Segoe UI", Roboto, "Noto Sans",
    "Helvetica Neue", "Liberation Sans", Arial, system-ui, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
main { max-width: 1120px; margin: 0 auto; padding: 40px 24px 64px; }
h1, h2 {
  font-family: Charter, "Bitstream Charter", "Iowan Old Style", Palatino, Georgia,
    "Liberation Serif", serif;
  font-weight: 600; line-height: 1.2; letter-spacing: -0.01em;
}
h1 { font-size: 34px; margin: 4px 0 10px; }
h2 { font-size: 24px; margin: 56px 0 6px; }
h3 { font-size: 15px; font-weight: 650; margin: 0 0 8px; }
p { margin: 0 0 14px; max-width: 74ch; }
.eyebrow { color: var(--muted); font-size: 13px; letter-spacing: 0.08em; text-transform: uppercase; margin: 0; }
.lead { font-size: 18px; }
.note, figcaption { color: var(--muted); font-size: 14px; }
.warning {
  background: var(--warn); border-left: 4px solid var(--warn-line); border-radius: 4px;
  padding: 12px 16px; margin: 20px 0; max-width: none;
}
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 12px; margin: 24px 0; }
.tile { background: var(--panel); border-radius: 8px; padding: 14px 16px; }
.tile .name { color: var(--muted); font-size: 13px; display: block; }
.tile .value { font-size: 26px; font-weight: 650; line-height: 1.25; display: block; }
.tile .was { color: var(--muted); font-size: 13px; display: block; }
.certificate { border: 1.5px solid var(--line); border-radius: 10px; padding: 20px 24px 10px; margin: 28px 0 0; }
.certificate h2 { margin: 0 0 10px; }
.certificate ul { list-style: none; margin: 0 0 12px; padding: 0; }
.certificate li { padding-left: 26px; position: relative; }
.certificate li::before { content: "\2713"; color: var(--before); font-weight: 700; position: absolute; left: 4px; }
.pair { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)); gap: 28px; margin-top: 18px; align-items: start; }
.small { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); gap: 28px 24px; margin-top: 22px; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figcaption { margin-top: 8px; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { fill: var(--muted); font-size: 12px; }
.small svg text { font-size: 11.5px; }
svg .label { fill: var(--ink); font-size: 13px; }
svg .mark { fill: var(--ink); font-size: 13px; font-weight: 650; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
svg .start { text-anchor: start; } svg .middle { text-anchor: middle; } svg .end { text-anchor: end; }
svg .grid { stroke: var(--line); stroke-width: 1; } svg .axis { stroke: var(--faint); stroke-width: 1; }
svg .before { fill: var(--before); } svg .after { fill: var(--after); }
svg .after-line { fill: none; stroke: var(--after); stroke-width: 2; stroke-linejoin: round; }
svg .fits { fill: var(--before); fill-opacity: 0.75; }
svg .fails { fill: none; stroke: var(--faint); stroke-width: 1.2; }
svg .chosen { fill: var(--after); stroke: var(--paper); stroke-width: 2; }
.key { white-space: nowrap; margin-right: 14px; }
.key i { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin-right: 6px; }
.key i.before { background: var(--before); } .key i.after { background: var(--after); }
.key i.dot { border-radius: 50%; } .key i.ring { border-radius: 50%; border: 1.5px solid var(--faint); }
.scroll { overflow-x: auto; margin: 14px 0; break-inside: avoid; }
table { border-collapse: collapse; font-size: 14.5px; min-width: min(100%, 480px); }
th, td { padding: 6px 26px 6px 0; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
th { color: var(--muted); font-weight: 600; font-size: 13px; line-height: 1.3; vertical-align: bottom; white-space: normal; max-width: 9em; }
td:last-child, th:last-child { padding-right: 0; }
.meter { display: inline-block; vertical-align: middle; width: 84px; height: 9px; background: var(--line); border-radius: 2px; margin-left: 10px; }
.meter b { display: block; height: 100%; background: var(--before); border-radius: 2px; }
.meter b.after { background: var(--after); }
dl { margin: 14px 0; font-size: 14.5px; } dt { font-weight: 650; margin-top: 10px; } dd { margin: 0; color: var(--muted); max-width: 84ch; }
footer { margin-top: 56px; border-top: 1px solid var(--line); padding-top: 14px; color: var(--muted); font-size: 13px; }
@media (max-width: 560px) {
  main { padding: 24px 16px 48px; } h1 { font-size: 27px; } h2 { font-size: 21px; margin-top: 44px; }
  table { font-size: 13.5px; } th, td { padding-right: 14px; } td:first-child { white-space: normal; }
  .meter { width: 56px; margin-left: 6px; }
  .tiles { grid-template-columns: 1fr 1fr; } .tile .value { font-size: 21px; }
  .pair svg text { font-size: 16px; } .pair svg .label, .pair svg .mark { font-size: 16px; }
}
@media print {
  :root {
    --paper: #ffffff; --panel: #f5f7f9; --ink: #000000; --muted: #444444; --line: #cccccc;
    --before: #0072b2; --after: #d55e00; --faint: #777777; --warn: #ffffff; --warn-line: #c77700;
  }
  body { font-size: 11pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; } h2, h2 + p { break-after: avoid; }
  .pair { grid-template-columns: 1fr 1fr; } .pair svg text, .pair svg .label { font-size: 16px; }
  .tiles { grid-template-columns: repeat(6, 1fr); } .tile { padding: 8px 10px; } .tile .value { font-size: 17px; }
}
)css";

}  // namespace tacit::anonymize
