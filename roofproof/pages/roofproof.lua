-- Claims and values of a page in Quarto or Pandoc, as `roofproof verify` finds them; what does not hold ends the run.
-- `roofproof tools quarto DIR` writes this file; in the head of the page: filters: [roofproof.lua]
local found = nil

local function key(kind, text)
  text = text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  local shown, says = text:match("^(.-)%s*|%s*(.*)$")
  if kind == "claim" and says then return kind .. "\0" .. says .. "\0" .. shown end
  return kind .. "\0" .. text .. (kind == "claim" and "\0" .. text or "")
end

local function verify()
  local file = quarto and quarto.doc.input_file or PANDOC_STATE.input_files[1]
  local worked, out = pcall(pandoc.pipe, "roofproof", { "verify", "--json", file }, "")
  local text = worked and out or (type(out) == "table" or type(out) == "userdata") and out.output or ""
  local read, answer = pcall(pandoc.json.decode, text, false)
  if not read or type(answer) ~= "table" then error("roofproof verify --json " .. file .. " failed") end
  found = {}
  local wrong = {}
  for _, each in ipairs(answer.claims) do
    local name = each.kind == "claim" and "\0" .. each.shown or ""
    found[each.kind .. "\0" .. each.says .. name] = each.shown
    if not each.as_expected then
      table.insert(wrong, each.id .. ": " .. each.says .. ": " .. (each.note ~= "" and each.note or each.verdict))
    end
  end
  if #wrong > 0 then error("claims that do not hold\n" .. table.concat(wrong, "\n")) end
end

function Inlines(inlines)
  for i = #inlines - 1, 1, -1 do
    local before, code = inlines[i], inlines[i + 1]
    if before.t == "Str" and code.t == "Code" then
      local start, kind = before.text:match("^(.*){(%a+)}$")
      if kind == "claim" or kind == "derived" then
        if not found then verify() end
        local shown = found[key(kind, code.text)]
        if not shown then error("roofproof verify has not found " .. code.text) end
        local plain = kind == "derived" or code.text:find("|", 1, true)
        inlines[i] = pandoc.Str(start)
        inlines[i + 1] = plain and pandoc.Str(shown) or pandoc.Code(shown)
      end
    end
  end
  return inlines
end
