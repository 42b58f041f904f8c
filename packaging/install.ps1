# Installs memdir @VERSION@: downloads one archive, compares its checksum, copies one file.
#
#   irm @URL@/install.ps1 | iex
$ErrorActionPreference = 'Stop'
$into = if ($env:MEMDIR_INSTALL_DIR) { $env:MEMDIR_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\memdir' }
$temporary = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory -Force $into, $temporary | Out-Null
try {
    $archive = Join-Path $temporary 'memdir.zip'
    Invoke-WebRequest -UseBasicParsing '@WINDOWS_URL@' -OutFile $archive
    $actual = (Get-FileHash -Algorithm SHA256 $archive).Hash
    if ($actual -ne '@WINDOWS_SHA256@') { throw "the checksum of @WINDOWS_URL@ is $actual, expected @WINDOWS_SHA256@" }
    Expand-Archive $archive $temporary
    Copy-Item -Force (Join-Path $temporary '@WINDOWS_FOLDER@\memdir.exe') $into
} finally {
    Remove-Item -Recurse -Force $temporary
}
$path = [Environment]::GetEnvironmentVariable('Path', 'User')
if (($path -split ';') -notcontains $into) {
    [Environment]::SetEnvironmentVariable('Path', "$path;$into", 'User')
    Write-Output "added $into to your PATH; open a new terminal"
}
& (Join-Path $into 'memdir.exe') --version
