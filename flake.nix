{
  description = "Durable memory for coding agents, in plain Markdown that the user owns";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
      version = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package.version;
    in {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "memdir";
          inherit version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "-p" "memdir" ];
          # The wrapper that links statically looks for a static libc, which nixpkgs does not give by default.
          postPatch = "rm .cargo/config.toml";
          # The tests need strace, root and a database: scripts/test runs them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            for shell in bash zsh fish; do
              HOME=$TMPDIR $out/bin/memdir completions $shell > memdir.$shell
              installShellCompletion --cmd memdir --$shell memdir.$shell
            done
            HOME=$TMPDIR $out/bin/memdir man > memdir.1
            installManPage memdir.1
          '';
          meta = {
            description = "Durable memory for coding agents, in plain Markdown that the user owns";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "memdir";
          };
        };
      });
      devShells = each (pkgs: {
        default = pkgs.mkShell { packages = with pkgs; [ cargo clippy rustc rustfmt cargo-nextest git strace ]; };
      });
    };
}
